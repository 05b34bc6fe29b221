"""The code lists of ownership, worker attributes and regions.

Ownership follows the Quarterly Census of Employment and Wages (codes 1, 2, 3 and 5). Race,
ethnicity and education follow the LEHD public-use schema V4.14.0 (race without A6, which the
schema marks as not used; education without E5: everyone's is known here). The three age groups
are those of the LODES columns CA01 to CA03. Regions are invented; their codes are state numbers
that the federal list does not use, so that no code can be taken for a real place.
"""

OWNERSHIP = {
    "1": "Federal government",
    "2": "State government",
    "3": "Local government",
    "5": "Private",
}
FEDERAL, STATE, LOCAL, PRIVATE = range(4)

AGE = {"A01": "29 or younger", "A02": "30 to 54", "A03": "55 or older"}
SEX = {"M": "Male", "F": "Female"}
RACE = {
    "A1": "White Alone",
    "A2": "Black or African American Alone",
    "A3": "American Indian or Alaska Native Alone",
    "A4": "Asian Alone",
    "A5": "Native Hawaiian or Other Pacific Islander Alone",
    "A7": "Two or More Race Groups",
}
ETHNICITY = {"A1": "Not Hispanic or Latino", "A2": "Hispanic or Latino"}
EDUCATION = {
    "E1": "Less than high school",
    "E2": "High school or equivalent, no college",
    "E3": "Some college or Associate degree",
    "E4": "Bachelor's degree or advanced degree",
}
WORKER_CODES = {
    "age": AGE,
    "sex": SEX,
    "race": RACE,
    "ethnicity": ETHNICITY,
    "education": EDUCATION,
}
"""The columns of the worker table, in their order."""

REGIONS = {
    "03": "Northern region",
    "07": "Eastern region",
    "14": "Southern region",
    "43": "Western region",
}
