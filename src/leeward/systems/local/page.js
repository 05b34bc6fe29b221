// The page of a survey: draws a report of an answer in this browser, and keeps the report alone.
"use strict";

// Random words: 64 bits of the browser's generator; probabilities are whole numbers of 2^64.

const WORDS = 1n << 64n;
const DRAWN = new BigUint64Array(64);
let left = 0;

function word() {
  if (!left) {
    crypto.getRandomValues(DRAWN);
    left = DRAWN.length;
  }
  left -= 1;
  const drawn = DRAWN[left];
  DRAWN[left] = 0n; // a word is used once and nothing remembers it
  return drawn;
}

function happens(threshold) {
  return word() < BigInt(threshold);
}

// A whole number below the bound, each with the same probability: words past the last whole
// multiple of the bound are thrown away.
function below(bound) {
  const size = BigInt(bound);
  const most = WORDS - WORDS % size;
  for (;;) {
    const drawn = word();
    if (drawn < most) return Number(drawn % size);
  }
}

// Channels: how a report is drawn, by the numbers that `public()` of the same channel gives.

const CHANNELS = {
  randomised: drawKept,
  subset_selection: drawSubset,
  projective: drawProjective,
  hadamard: drawHadamard,
};

function draw(channel, answer) {
  return CHANNELS[channel.kind](channel, answer);
}

// One of two answers: the own one with the probability of the threshold.
function drawKept(channel, answer) {
  return happens(channel.threshold) ? answer : 1 - answer;
}

// w of k answers: the own one is among them with the probability of the threshold.
function drawSubset(channel, answer) {
  const [k, w] = [Number(channel.domain), Number(channel.size)];
  const own = happens(channel.threshold);
  const others = someOf(k - 1, own ? w - 1 : w);
  const report = others.map((one) => (one < answer ? one : one + 1));
  if (own) report.push(answer);
  return report.sort((one, two) => one - two);
}

// A set of `size` numbers below `bound`, each set with the same probability (Floyd 1987).
function someOf(bound, size) {
  const found = new Set();
  for (let last = bound - size; last < bound; last++) {
    const drawn = below(last + 1);
    found.add(found.has(drawn) ? last : drawn);
  }
  return [...found];
}

// A column of a block: of the half where the own row is +1 with the probability of the threshold,
// else of any other half of any block. Half 0 is the other one of the own block.
function drawHadamard(channel, answer) {
  const [blocks, order] = [Number(channel.blocks), Number(channel.order)];
  const block = answer % blocks;
  const row = 1 + (answer - block) / blocks;
  let column = below(order);
  const own = happens(channel.threshold);
  const half = own ? 0 : below(2 * blocks - 1);
  // Changing the lowest bit of the row maps the halves of a block onto each other.
  if (half === 0 && even(row & column) !== own) column ^= row & -row;
  return ((block + (half + half % 2) / 2) % blocks) * order + column;
}

function even(number) {
  let bits = 0;
  for (let rest = number; rest; rest &= rest - 1) bits += 1;
  return bits % 2 === 0;
}

// A point u of the projective space: on the hyperplane of the own point v, ⟨u, v⟩ = 0, with the
// probability of the threshold, else off it. Reports have their coordinates in reverse order.
function drawProjective(channel, answer) {
  const field = new Field(channel);
  const size = Number(channel.dimension);
  const v = coordinates(answer, field.order, size);
  if (happens(channel.threshold)) return onHyperplane(field, v);
  for (;;) {
    const point = below(Number(channel.points));
    if (field.product(coordinates(point, field.order, size).reverse(), v) !== 0) return point;
  }
}

// All coordinates but one are those of a point of a space of one dimension less. The one where v
// ends, with a 1, follows; it is 0 if those before it are, so that u still begins with a 1.
function onHyperplane(field, v) {
  const [place, size] = [v.lastIndexOf(1), v.length - 1];
  const u = coordinates(below(firstPoint(field.order, size)), field.order, size).reverse();
  u.splice(place, 0, 0);
  u[place] = field.minus(field.product(u, v));
  return pointOf(u.reverse(), field.order);
}

// Points are numbered by their coordinates, of which the last that is not 0 is 1, as digits.
function coordinates(point, base, size) {
  let place = 0;
  while (firstPoint(base, place + 1) <= point) place += 1;
  return digits(point - firstPoint(base, place) + base ** place, base, size);
}

function pointOf(vector, base) {
  const place = vector.lastIndexOf(1);
  return number(vector, base) - base ** place + firstPoint(base, place);
}

// How many points come before those whose last coordinate that is not 0 is this one.
function firstPoint(base, place) {
  return (base ** place - 1) / (base - 1);
}

function digits(number, base, size) {
  const found = [];
  for (let rest = number; found.length < size; rest = (rest - found.at(-1)) / base) {
    found.push(rest % base);
  }
  return found;
}

function number(digits, base) {
  return digits.reduceRight((sum, one) => sum * base + one, 0);
}

// The field of p^m elements: polynomials over Z_p modulo one, by their coefficients as digits.
class Field {
  constructor({ prime, degree, modulus }) {
    this.prime = Number(prime);
    this.degree = Number(degree);
    this.order = this.prime ** this.degree;
    this.modulus = modulus.map(Number);
  }

  combined(left, right, weight) {
    const [one, two] = [left, right].map((x) => digits(x, this.prime, this.degree));
    return number(one.map((x, i) => (x + weight * two[i]) % this.prime), this.prime);
  }

  plus(left, right) {
    return this.combined(left, right, 1);
  }

  minus(element) {
    return this.combined(0, element, this.prime - 1);
  }

  times(left, right) {
    return digits(left, this.prime, this.degree)
      .reduceRight((sum, one) => this.combined(this.shifted(sum), right, one), 0);
  }

  // x times an element: x^m is replaced by the rest of the modulus.
  shifted(element) {
    const held = digits(element, this.prime, this.degree);
    const top = held.pop();
    const rest = this.modulus.slice(0, -1).map((one) => this.prime - one);
    const next = [0, ...held].map((one, i) => (one + rest[i] * top) % this.prime);
    return number(next, this.prime);
  }

  product(u, v) {
    return u.reduce((sum, one, i) => this.plus(sum, this.times(one, v[i])), 0);
  }
}

function newId() {
  return [word(), word()].map((one) => one.toString(16).padStart(16, "0")).join("");
}

// Memory: the reports that this browser drew for this survey, never an answer.

class Memory {
  constructor(digest) {
    this.key = `leeward-survey-${digest}`;
    this.here = this.stored() || { asked: null, reports: [] };
    const probe = `${this.key}-probe`;
    this.lasting = this.store(probe, "") && this.store(probe, null);
  }

  stored() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key));
      return kept && Array.isArray(kept.reports) ? kept : null;
    } catch {
      return null;
    }
  }

  store(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
      return true;
    } catch {
      return false; // forbidden, absent or full
    }
  }

  read() {
    return (this.lasting && this.stored()) || this.here;
  }

  write(kept) {
    this.here = kept;
    this.lasting = this.lasting && this.store(this.key, JSON.stringify(kept));
  }
}

function today() {
  const now = new Date();
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return parts.map((one) => String(one).padStart(2, "0")).join("-");
}

// Whether the limits of the survey allow one more report now. A clock that was set back makes no
// room: later days count as today.
function mayReport(limits, kept) {
  const late = kept.reports.filter((one) => one.day >= today()).length;
  return kept.reports.length < limits.per_person && late < limits.per_day;
}

// The page itself.

const at = (id) => document.getElementById(id);
const { digest: DIGEST, survey: SURVEY } = JSON.parse(at("survey").textContent);
const MEMORY = new Memory(DIGEST);
const MOST_FOUND = 20;

// Which questions this person is asked: all, or one that is drawn once and stays the same.
function asked() {
  if (SURVEY.ask === "all") return SURVEY.questions.map((_, number) => number);
  const kept = MEMORY.read();
  if (kept.asked === null) MEMORY.write({ ...kept, asked: below(SURVEY.questions.length) });
  return [MEMORY.read().asked];
}

// The number of the answer that is chosen, or null. Nothing else reads a choice.
function chosen(number) {
  const found = at(`question-${number}`).querySelector("input[type=radio]:checked");
  return found && Number(found.value);
}

// The public attributes, or null where one of them is not told.
function stratum() {
  const fields = [...document.querySelectorAll("[data-stratum]")];
  if (!fields.length || fields.some((one) => !one.value)) return null;
  return Object.fromEntries(fields.map((one) => [one.dataset.stratum, one.value]));
}

// A report of what is chosen; the choices are cleared before anything else happens.
function drawReport(numbers) {
  const reports = numbers.map((one) => ({
    question: SURVEY.questions[one].name,
    report: draw(SURVEY.questions[one].law, chosen(one)),
  }));
  const made = { leeward: "report", survey: DIGEST, id: newId(), stratum: stratum(), reports };
  clear();
  return made;
}

function clear() {
  for (const one of document.querySelectorAll("input[type=radio]")) one.checked = false;
  for (const one of document.querySelectorAll("[data-search]")) { one.value = ""; find(one); }
  for (const one of document.querySelectorAll("[data-stratum]")) one.value = "";
  if (document.activeElement) document.activeElement.blur();
}

function randomise() {
  if (mayReport(SURVEY.limits, MEMORY.read())) {
    const numbers = asked();
    const missing = numbers.find((one) => chosen(one) === null);
    if (missing !== undefined) {
      say(numbers.length > 1 ? "A question has no answer yet." : "Choose an answer first.");
      at(`question-${missing}`).querySelector("input").focus();
      return;
    }
    const report = drawReport(numbers);
    const reports = [...MEMORY.read().reports, { day: today(), report }];
    MEMORY.write({ asked: null, reports });
  }
  clear();
  say("");
  show();
  at("report").focus();
}

function say(words) {
  at("said").textContent = words;
}

// What is on the page follows from what is kept, whatever is chosen.
function show() {
  const kept = MEMORY.read();
  const more = mayReport(SURVEY.limits, kept);
  const numbers = more ? asked() : [];
  at("ask").hidden = !more;
  SURVEY.questions.forEach((_, number) => {
    at(`question-${number}`).hidden = !numbers.includes(number);
  });
  at("forgetful").hidden = MEMORY.lasting;
  at("kept").hidden = !MEMORY.lasting;
  at("report").hidden = !kept.reports.length;
  at("later").hidden = more || kept.reports.length >= SURVEY.limits.per_person;
  if (kept.reports.length) at("text").textContent = text(last());
}

function last() {
  return MEMORY.read().reports.at(-1).report;
}

// As the command writes it: the files do not tell who used which.
function text(report) {
  const lines = JSON.stringify(report, null, 1); // inside of texts a new line is written as \n
  const joined = lines.replace(/([[{])\n */g, "$1").replace(/\n *([\]}])/g, "$1");
  return joined.replace(/\n */g, " ").replace(/[\u007f-\uffff]/g, escaped) + "\n";
}

function escaped(unit) {
  return "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text(last())], { type: "application/json" }));
  link.download = `report-${last().id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(text(last()));
    at("done").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(at("text"));
    at("done").textContent = "The report is selected: copy it with the keyboard.";
  }
}

// Long lists: answers whose code or label has the words that are typed.
function find(field) {
  const number = Number(field.dataset.search);
  const words = field.value.trim().toLowerCase().split(/\s+/).filter((one) => one);
  const answers = SURVEY.questions[number].answers.map(named);
  const found = [];
  for (let one = 0; words.length && one < answers.length && found.length <= MOST_FOUND; one++) {
    const name = answers[one].toLowerCase();
    if (words.every((part) => name.includes(part))) found.push(one);
  }
  const shown = found.slice(0, MOST_FOUND).map((one) => choice(number, one, answers[one]));
  at(`found-${number}`).replaceChildren(...shown);
  at(`more-${number}`).textContent = toldOf(words.length, found.length);
}

function toldOf(words, found) {
  if (!words || (found && found <= MOST_FOUND)) return "";
  return found ? `The first ${MOST_FOUND} are listed: type more.` : "No answer has these words.";
}

function named({ code, label }) {
  return code === label ? label : `${code} ${label}`;
}

function choice(number, answer, name) {
  const label = document.createElement("label");
  label.className = "choice";
  const button = document.createElement("input");
  Object.assign(button, { type: "radio", name: `answer-${number}`, value: answer });
  button.autocomplete = "off";
  label.append(button, name);
  return label;
}

at("randomise").addEventListener("click", randomise);
at("save").addEventListener("click", save);
at("copy").addEventListener("click", copy);
at("print").addEventListener("click", () => print());
for (const one of document.querySelectorAll("[data-search]")) {
  one.addEventListener("input", () => find(one));
}
addEventListener("storage", show); // another window drew
addEventListener("pageshow", () => { clear(); show(); }); // also when a browser goes back to it
show();
document.documentElement.classList.add("scripted");
