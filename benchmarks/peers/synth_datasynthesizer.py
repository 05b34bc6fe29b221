"""DataSynthesizer: its correlated mode (PrivBayes), columns as categories of declared codes."""

import json
import sys
from pathlib import Path

from DataSynthesizer.DataDescriber import (  # type: ignore[import-not-found, unused-ignore]  # its own environment
    DataDescriber,
)
from DataSynthesizer.DataGenerator import (  # type: ignore[import-not-found, unused-ignore]  # as above
    DataGenerator,
)

from benchmarks.peers.synth_table import EPSILON, arguments, sizes


def main() -> None:
    data, domain, out = arguments()
    parents = int(sys.argv[4])
    codes = {name: list(range(size)) for name, size in sizes(domain).items()}
    domains, description = Path(f"{out}.domains.json"), Path(f"{out}.description.json")
    domains.write_text(json.dumps(codes))
    describer = DataDescriber(category_threshold=max(map(len, codes.values())))
    describer.describe_dataset_in_correlated_attribute_mode(
        dataset_file=str(data),
        k=parents,
        epsilon=EPSILON,
        attribute_to_datatype=dict.fromkeys(codes, "Integer"),
        attribute_to_is_categorical=dict.fromkeys(codes, True),
        attribute_to_is_candidate_key=dict.fromkeys(codes, False),
        categorical_attribute_domain_file=str(domains),
    )
    describer.save_dataset_description_to_file(str(description))
    rows = describer.data_description["meta"]["num_tuples"]
    generator = DataGenerator()
    generator.generate_dataset_in_correlated_attribute_mode(rows, str(description))
    generator.save_synthetic_data(str(out))


if __name__ == "__main__":
    main()
