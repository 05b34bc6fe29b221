"""Method: what was compared and how, and how to use it, for the end of the page."""

from leeward.evaluate.evaluation import Study
from leeward.evaluate.phrases import several, share
from leeward.privacy.sentences import FURTHER, IN_GENERAL

MECHANISMS = (
    (
        "Slope, Pareto, clipped (ours)",
        "Slope and Pareto add noise in proportion to the largest establishment of a cell; Pareto "
        "releases all worker cells of a workplace cell together for one ε. Clipped first releases "
        "a noisy largest size, cuts establishments to it, and adds noise of a public scale.",
    ),
    (
        "Log-Laplace, Smooth Gamma, Smooth Laplace",
        "The mechanisms of Haney et al. (2015, and the slides of 2016 on their SIGMOD paper of "
        "2017): as published, with the constants printed there; tight, with the least noise that "
        "a proof allows for the same promise. Smooth Laplace needs a δ above 0.",
    ),
    (
        "Edge DP, node DP",
        "Discrete Laplace noise for one job, or for a whole establishment of at most θ jobs, "
        "larger ones left out. Other promises, for orientation.",
    ),
    (
        "Noise infusion",
        "One factor for each establishment, kept for ever; all establishments of an employer are "
        "distorted to the same side; cells of one or two persons or employers are suppressed. "
        "It has no guarantee, and is what errors are compared with.",
    ),
)

PROMISES = (
    ("Strong", IN_GENERAL["strong"].text),
    ("Weak", IN_GENERAL["weak"].text),
    ("Worker", IN_GENERAL["worker"].text),
    ("Establishment", IN_GENERAL["establishment"].text),
    ("δ", FURTHER.text),
)

ACCOUNTING = (
    ("Single", "One count for each workplace cell, or each worker cell asked on its own."),
    ("Joint", "One ε for all d worker cells of a workplace cell, by a proof for the block."),
    ("Sum", "Each worker cell at ε/d, so that the table costs ε."),
    (
        "Parallel",
        "Each worker cell at ε, claimed as ε for the table, as Haney et al. 2015 count. That rule "
        "does not hold; by the sum rule the table promises d·ε. Such points are shown but never "
        "counted as equal.",
    ),
)

MEASURES = (
    (
        "Mean error (l1)",
        "The mean absolute error of a cell in jobs. A closed form where l1_source says so, "
        "without any draw; else the mean of the trials (biased mechanisms, noise infusion).",
    ),
    (
        "Ratio to infusion (ratio_to_infusion)",
        "That error divided by noise infusion's on the same cells, suppressed ones included as "
        "if they were published.",
    ),
    (
        "Ratio where published (ratio_where_published)",
        "The same on the cells that infusion does not suppress.",
    ),
    (
        "Rank correlation (spearman, spearman_infusion)",
        "Spearman's correlation of the released cells with the truth, or with one draw of noise "
        "infusion. Trials.",
    ),
    (
        "Relative error, within 5 %, negative",
        "The mean of the error divided by the count (at least 1); the share of cells off by at "
        "most 5 %; the share released below zero. Trials.",
    ),
    ("Bias", "The mean signed error: a closed form where there is one, and of the trials."),
    (
        "Coverage",
        "The share of cells whose true count lies within its 90 % margin. Trials. Mechanisms "
        "whose margins must be bought pay a tenth of ε for them; then the noise is that of the "
        "rest. Their errors elsewhere on this page are without margins.",
    ),
    (
        "Strata",
        "Cells by the jobs in their place, or in another workplace attribute; in the papers by "
        "population.",
    ),
)

DECISION = (
    "This page compares mechanisms. It does not release anything, and it charges no account.",
    "On confidential data everything here is a function of the truth: errors, ratios, ranks and "
    "the sizes of strata. It is internal. Never publish the page, its figures or its files.",
    "Choosing α, ε or a mechanism by looking at confidential results is outside the guarantee: "
    "the choice itself then tells something about the data. Choose on made-up or public data, or "
    "treat it as a one-off policy decision that is written down as such.",
    "Choose α and ε by what must be protected first: α by how closely a competitor may learn the "
    "size of an establishment, ε by how far a suspicion may grow, over all releases of all "
    "periods together. Then look here at what that costs.",
    "Equal error is not equal value: noise infusion has no guarantee, suppresses cells, and "
    "distorts the same establishment in the same way for ever.",
)

FILES = (
    ("points.csv", "all measures of all settings"),
    ("gaps.csv", "what could not be calibrated, and why"),
    ("evaluation.json", "both, for programs"),
)


def setup(study: Study) -> tuple[str, ...]:
    """What was run, in a few sentences."""
    noise = study.infusion
    return (
        f"Data: {study.data}. Preset: {study.preset}. Every setting was drawn "
        f"{several(study.grid.trials, 'time')}; noise infusion distorts by {share(noise.lower)} to "
        f"{share(noise.upper)}.",
    )
