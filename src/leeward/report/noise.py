"""Noise: what each mechanism does, in one plain sentence."""

UNKNOWN = "Random whole numbers were added to the counts."

NOISE = {
    "slope": "Each cell gets its own random number, in proportion to its largest establishment; "
    "it is zero on average, mostly small, and now and then large.",
    "vector_pareto": "All worker cells of a workplace cell get their random numbers together, in "
    "proportion to the largest establishment; they are zero on average, mostly small, and now and "
    "then large.",
    "clipped": "Establishments above a noisy bound are scaled down to it; then each cell gets a "
    "random number whose size is public.",
    "log_laplace": "Each count is multiplied by a random factor, so that large counts move more "
    "than small ones; on average it is right.",
    "smooth_gamma": "Each cell gets its own random number, in proportion to its largest "
    "establishment; it is zero on average and now and then large.",
    "smooth_laplace": "Each cell gets its own random number, in proportion to its largest "
    "establishment; it is zero on average and rarely large, which costs a small δ.",
    "edge_laplace": "Each cell gets its own random number of the size that hides one job; large "
    "establishments are not hidden by it.",
}


def noise_sentence(mechanism: str) -> str:
    """What was added to the counts."""
    return NOISE.get(mechanism, UNKNOWN)
