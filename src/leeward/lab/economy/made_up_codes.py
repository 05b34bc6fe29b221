"""Classifications of the made-up economy: sectors, ownership, worker attributes and regions.

Sectors, race, ethnicity and education are those of `leeward.core.codebook.classifications`
(education without E5: everyone's is known here). The figures of sectors are round numbers invented
for demonstration: plausible beside one another, measured nowhere. Ownership follows the Quarterly
Census of Employment and Wages (codes 1, 2, 3 and 5). The codes of sex and age are invented; the
three age groups are those of the LODES columns CA01 to CA03. Schooling is
education as LODES 8 has it: of workers aged 30 or over alone, with E5 for all others. The three
classes of monthly earnings are the LODES columns CE01 to CE03, $1,250 or less, up to $3,333 and
more (LODES 8 technical documentation). Regions are invented; their codes are state numbers that
the federal list does not use, so that no code can be taken for a real place.

The lists of cohorts are short. Degree levels are three of the LEHD schema (`label_degree_level`),
fields of study are two-digit families of the Classification of Instructional Programs (NCES, 2020).
Institutions and titles are invented, the institutions with the eight characters of the LEHD schema.
Veterans have what the Census Bureau's Veteran Employment Outcomes tabulate: occupation, pay grade
and tercile of the Armed Forces Qualification Test; the occupation codes and the groups of enlisted
pay grades are invented.
"""

from dataclasses import dataclass

from leeward.core.codebook.classifications import EDUCATION, ETHNICITY, NAICS_SECTORS, RACE


@dataclass(frozen=True, slots=True)
class Sector:
    """One sector: who works there, where, in how large establishments and for how much.

    Shares are percentages. `establishments` is the sector's share of the frame, `median` its
    usual size, `giants` the share of its establishments that lie in the heavy tail. `public`
    are the shares that belong to federal, state and local government.
    """

    code: str
    establishments: float
    median: float
    giants: float
    public: tuple[int, int, int]
    women: int
    ages: tuple[int, int, int]
    education: tuple[int, int, int, int]
    pay: int
    """Usual monthly earnings, in whole dollars."""

    @property
    def label(self) -> str:
        """What NAICS calls it."""
        return NAICS_SECTORS[self.code]


NONE = (0, 0, 0)

SECTORS = (
    Sector(
        *("11", 1.2, 3, 2, NONE),
        *(28, (27, 50, 23), (32, 36, 20, 12), 2900),
    ),
    Sector(
        *("21", 0.4, 7, 4, NONE),
        *(14, (20, 60, 20), (14, 42, 28, 16), 6800),
    ),
    Sector(
        *("22", 0.4, 12, 6, (1, 4, 30)),
        *(25, (14, 61, 25), (6, 32, 36, 26), 7600),
    ),
    Sector(
        *("23", 8.5, 4, 1, (0, 0, 1)),
        *(15, (23, 57, 20), (21, 39, 27, 13), 4700),
    ),
    Sector(
        *("31-33", 4.4, 12, 5, NONE),
        *(30, (18, 57, 25), (15, 34, 29, 22), 5000),
    ),
    Sector(
        *("42", 6.0, 5, 2, NONE),
        *(31, (19, 57, 24), (13, 30, 29, 28), 5400),
    ),
    Sector(
        *("44-45", 12.5, 7, 1, NONE),
        *(50, (36, 43, 21), (15, 33, 32, 20), 2500),
    ),
    Sector(
        *("48-49", 3.4, 5, 4, (14, 0, 3)),
        *(26, (22, 53, 25), (14, 36, 32, 18), 4000),
    ),
    Sector(
        *("51", 2.0, 5, 4, (0, 0, 3)),
        *(40, (25, 57, 18), (8, 21, 30, 41), 7100),
    ),
    Sector(
        *("52", 5.6, 5, 3, NONE),
        *(58, (20, 58, 22), (7, 21, 31, 41), 6500),
    ),
    Sector(
        *("53", 4.6, 3, 1, (0, 0, 2)),
        *(46, (19, 53, 28), (12, 28, 31, 29), 4200),
    ),
    Sector(
        *("54", 12.2, 3, 2, (1, 0, 0)),
        *(48, (22, 57, 21), (7, 18, 27, 48), 7200),
    ),
    Sector(
        *("55", 0.8, 10, 8, NONE),
        *(50, (18, 60, 22), (8, 22, 30, 40), 8300),
    ),
    Sector(
        *("56", 6.2, 5, 4, (0, 0, 1)),
        *(41, (30, 51, 19), (20, 33, 29, 18), 3100),
    ),
    Sector(
        *("61", 3.0, 16, 4, (0, 6, 48)),
        *(68, (17, 57, 26), (6, 17, 26, 51), 4300),
    ),
    Sector(
        *("62", 13.0, 7, 3, (1, 1, 3)),
        *(77, (23, 54, 23), (11, 25, 33, 31), 4200),
    ),
    Sector(
        *("71", 1.8, 6, 3, (1, 1, 12)),
        *(47, (39, 41, 20), (13, 29, 31, 27), 2600),
    ),
    Sector(
        *("72", 8.3, 12, 1, (0, 0, 1)),
        *(52, (52, 37, 11), (26, 34, 27, 13), 1900),
    ),
    Sector(
        *("81", 8.2, 4, 1, NONE),
        *(54, (26, 50, 24), (17, 31, 30, 22), 2900),
    ),
    Sector(
        *("92", 2.3, 12, 3, (22, 28, 50)),
        *(46, (13, 61, 26), (5, 23, 35, 37), 5300),
    ),
)


OWNERSHIP = {
    "1": "Federal government",
    "2": "State government",
    "3": "Local government",
    "5": "Private",
}
FEDERAL, STATE, LOCAL, PRIVATE = range(4)

AGE = {"A01": "29 or younger", "A02": "30 to 54", "A03": "55 or older"}
SEX = {"M": "Male", "F": "Female"}
NOT_ASKED = "E5"
SCHOOLING = EDUCATION | {NOT_ASKED: "Not asked of workers aged 29 or younger"}
WORKER_CODES = {
    "age": AGE,
    "sex": SEX,
    "race": RACE,
    "ethnicity": ETHNICITY,
    "education": EDUCATION,
    "schooling": SCHOOLING,
}
"""The columns of the worker table, in their order."""

MOST_CENTS = 5_000_000_00
"""The most that a job pays in a month."""
EARNINGS = {"CE01": 1_250_00, "CE02": 3_333_00, "CE03": MOST_CENTS}
"""The classes of monthly earnings, each with its largest number of cents."""

USUAL = {
    "age": "A02",
    "sex": "F",
    "race": "A1",
    "ethnicity": "A1",
    "education": "E2",
    "schooling": "E2",
    "earnings": "CE03",
}
"""The most common code of each attribute, which stands for a missing or an unlisted one.

So every job counts in every table, and no share changes less in proportion. Of schooling it is the
one of education: who was not asked is young, and the most common age is not. The tables that are
made here have no missing and no unlisted codes.
"""

YOUNGEST, *OLDER = AGE
IMPOSSIBLE = (
    *({"age": YOUNGEST, "schooling": code} for code in EDUCATION),
    *({"age": code, "schooling": NOT_ASKED} for code in OLDER),
)
"""Combinations that no worker has: schooling is asked of all but the youngest age group."""

REGIONS = {
    "03": "Northern region",
    "07": "Eastern region",
    "14": "Southern region",
    "43": "Western region",
}

COHORT_KINDS = {
    "graduate": "Graduates of an institution",
    "leaver": "People who left a job at an institution",
    "veteran": "People who left the armed forces",
}
INSTITUTIONS = {
    "00900001": "Northern State University",
    "00900002": "Eastern State University",
    "00900003": "Southern State University",
    "00900004": "Western Institute of Technology",
    "00900005": "Harbour Community College",
    "00900006": "Hillside College",
}
DEGREES = {"03": "Associates", "05": "Baccalaureate", "07": "Masters"}
CIPS = {
    "11": "Computer and Information Sciences and Support Services",
    "13": "Education",
    "14": "Engineering",
    "26": "Biological and Biomedical Sciences",
    "45": "Social Sciences",
    "51": "Health Professions and Related Programs",
    "52": "Business, Management, Marketing, and Related Support Services",
}
TITLES = {"faculty": "Faculty", "staff": "Staff", "student": "Student"}
OCCUPATIONS = {
    "91": "Infantry and gun crews",
    "92": "Electronics",
    "93": "Communications and intelligence",
    "94": "Health care",
    "95": "Administration",
    "96": "Mechanics",
    "97": "Service and supply",
}
PAY_GRADES = {"E1-E4": "E1 to E4", "E5-E6": "E5 and E6", "E7-E9": "E7 to E9"}
AFQT = {"1": "Lowest third of scores", "2": "Middle third", "3": "Highest third"}
