// The Plan tab: sliders beside exact texts, and numbers that follow every change.
"use strict";

(() => {
  const form = document.getElementById("plan");
  if (!form) return;
  const WAIT = 150;
  let timer = 0;
  let busy = false;
  let changed = false;
  let turn = 0; // a form that was replaced does not wait for answers about the old one

  // One question at a time: while an answer is on its way, the newest change waits for it.
  const ask = async () => {
    if (busy) { changed = true; return; }
    busy = true;
    changed = false;
    form.setAttribute("aria-busy", "true");
    const asked = turn;
    try {
      const answer = await posted(form.dataset.preview, null);
      if (asked === turn) refresh(answer);
    } catch {
      say("The page does not answer. Is leeward serve still running?");
    }
    busy = false;
    if (changed) ask();
    else rest();
  };

  // The numbers are old from a change on, until the last question is answered.
  const rest = () => { if (!busy && !timer && !form.inert) form.removeAttribute("aria-busy"); };
  const stop = () => { clearTimeout(timer); timer = 0; };
  const soon = () => {
    stop();
    form.setAttribute("aria-busy", "true");
    timer = setTimeout(() => { timer = 0; ask(); }, WAIT);
  };

  const say = (words) => { document.getElementById("status").textContent = words; };

  const posted = async (address, button) => {
    const fields = new URLSearchParams(new FormData(form));
    if (button && button.name) fields.append(button.name, button.value);
    const answer = await fetch(address, { method: "POST", body: fields });
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  // Every live part of the page is replaced by the part of the same name in the answer.
  const refresh = (answer) => {
    for (const here of document.querySelectorAll("[data-live]")) {
      const there = answer.getElementById(here.id);
      if (!there) continue;
      for (const box of here.querySelectorAll("details[id]")) {
        const twin = there.querySelector(`#${CSS.escape(box.id)}`);
        if (twin) twin.open = box.open;
      }
      if ("prediction" in there.dataset) here.dataset.prediction = there.dataset.prediction;
      else delete here.dataset.prediction;
      here.replaceChildren(...there.childNodes);
    }
    mark();
  };

  // A field is invalid while something is told beside it.
  const mark = () => {
    for (const control of form.querySelectorAll("[aria-describedby]")) {
      const told = control.getAttribute("aria-describedby").split(" ")
        .map((id) => document.getElementById(id))
        .some((slot) => slot && slot.classList.contains("problem") && slot.textContent.trim());
      if (told) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  };

  const number = (text) => {
    const [over, under] = text.trim().split("/");
    return Number(over) / (under === undefined ? 1 : Number(under));
  };

  const settle = (slider) => {
    const text = document.getElementById(slider.dataset.for).value;
    const values = slider.dataset.values.split(" ");
    const equal = 1 / form.querySelectorAll(".table-card").length;
    const wanted = text ? number(text) : slider.dataset.for.endsWith(".share") ? equal : 0;
    if (!Number.isFinite(wanted)) return;
    let best = 0;
    values.forEach((value, at) => {
      if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = at;
    });
    slider.value = best;
    slider.setAttribute("aria-valuetext", text || values[best]);
  };

  const moved = (slider) => {
    const text = slider.dataset.values.split(" ")[Number(slider.value)];
    document.getElementById(slider.dataset.for).value = text;
    slider.setAttribute("aria-valuetext", text);
  };

  const sliderOf = (name) => form.querySelector(`input[type=range][data-for="${CSS.escape(name)}"]`);

  // What is ticked stands before what is not, the last ticked behind the others.
  const arrange = (box) => {
    const chips = box.closest(".chips");
    const first = [...chips.children].find((chip) => chip !== box.parentElement && !chip.querySelector("input").checked);
    chips.insertBefore(box.parentElement, first || null);
    box.focus();
  };

  // α has no meaning under the worker and person policies; its text waits there unsent.
  const suit = () => {
    const policy = form.querySelector('[name="protect.policy"]:checked');
    const rule = form.querySelector('[name="jobs.rule"]:checked');
    const idle = {
      "protect.alpha": policy && ["worker", "person"].includes(policy.value),
      "jobs.primary": !rule || rule.value !== "primary",
      "jobs.max_per_worker": !rule || rule.value !== "max_per_worker",
      "jobs.per": !rule || rule.value !== "max_per_worker",
    };
    for (const [name, off] of Object.entries(idle)) {
      const control = document.getElementById(name);
      control.disabled = off;
      if (name.startsWith("jobs.")) control.closest(".field").hidden = off;
      const slider = sliderOf(name);
      if (slider) slider.disabled = off;
    }
  };

  const ready = () => {
    for (const slider of form.querySelectorAll("input[type=range]")) settle(slider);
    suit();
    mark();
  };

  // A table that is renamed is called by its new name everywhere.
  const rename = (field) => {
    const card = field.closest(".table-card");
    const at = [...form.querySelectorAll(".table-card")].indexOf(card);
    const name = field.value.trim();
    card.querySelector("summary h3").textContent = name || `Table ${at + 1}`;
    card.querySelector('button[value^="remove:"]').textContent = `Remove ${name || "this table"}`;
    document.getElementById("aim.table").options[at].text = name;
  };

  // An answer goes when what it speaks of is changed or asked anew.
  const forget = (...names) => {
    for (const name of names) document.getElementById(`${name}-answer`).replaceChildren();
  };

  // Whoever leaves with changes that are in no file is asked first.
  const warn = (event) => { if (form.isConnected) event.preventDefault(); };
  const unsaved = () => window.addEventListener("beforeunload", warn);
  const kept = () => window.removeEventListener("beforeunload", warn);

  const focusFilter = (number) => {
    const last = [...document.querySelectorAll(`#table-${CSS.escape(number)} .filter`)].pop();
    const first = last && last.querySelector("input:not([type=hidden]), select");
    if (first) first.focus();
  };

  // Buttons that change the form itself bring a whole new one.
  const whole = async (button) => {
    stop();
    form.setAttribute("aria-busy", "true");
    turn += 1;
    changed = false;
    const asking = posted(button.formAction || form.action, button);
    forget("aim", "save");
    if (button.value === "aim") document.getElementById("aim-answer").textContent = "Looking for ε …";
    else if (button.name) unsaved();
    form.inert = true;
    try {
      const answer = await asking;
      const there = answer.getElementById("plan");
      if (!there) { document.body.replaceChildren(...answer.body.childNodes); return; }
      form.replaceChildren(...there.childNodes);
      form.inert = false;
      ready();
      if (document.getElementById("saved")) kept();
      const aim = form.querySelector("[data-focus]");
      const last = [...form.querySelectorAll(".table-card")].pop();
      if (aim) aim.focus();
      else if (button.value === "add" && last) last.querySelector("input[type=text]").select();
      else if (button.value.startsWith("filter:")) focusFilter(button.value.slice(7));
      else if (button.value === "use") document.getElementById("protect.epsilon").focus();
      else if (button.value === "equal") document.getElementById("tables[0].share").focus();
      else document.getElementById("main").focus();
    } catch {
      forget("aim", "save");
      say("The page does not answer. Is leeward serve still running?");
    }
    form.inert = false;
    rest();
  };

  form.addEventListener("input", (event) => {
    const control = event.target;
    if (control.type === "range") moved(control);
    else if (control.type === "text" && sliderOf(control.name)) settle(sliderOf(control.name));
    if (control.name.startsWith("aim.")) { forget("aim"); return; }
    if (control.name.endsWith("].add")) return;
    if (control.name === "file" || control.name === "replace") { forget("save"); return; }
    forget("aim", "save");
    unsaved();
    if (control.closest(".table-card") && control.name.endsWith(".name")) rename(control);
    if (control.type === "checkbox" && control.name.endsWith(".by")) arrange(control);
    if (control.type === "radio") suit();
    soon();
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button && "whole" in button.dataset) whole(button);
    else { stop(); ask(); }
  });

  // A link to a table, or to a place in it, opens it; not every browser does so by itself.
  form.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const aim = link && document.getElementById(link.getAttribute("href").slice(1));
    const card = aim && aim.closest("details");
    if (card) card.open = true;
  });

  ready();
})();
