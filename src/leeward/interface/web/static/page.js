// For every tab: what needs a script to be of use is shown only where there is one.
"use strict";

document.documentElement.classList.add("scripted");

// On paper nothing is folded away, and a view of which the screen shows a part is whole.
(() => {
  let folds = [];
  let place = null;
  let note = [];

  const load = (address) => {
    const ask = new XMLHttpRequest();
    ask.open("GET", address, false); // the browser prints as soon as this function returns
    ask.send();
    const page = new DOMParser().parseFromString(ask.responseText, "text/html");
    return ask.status === 200 ? page.getElementById("printed") : null;
  };

  window.addEventListener("beforeprint", () => {
    if (place) return;
    folds = [...document.querySelectorAll("main details:not([open])")];
    for (const one of folds) one.open = true;
    for (const one of document.querySelectorAll("main .field input[type=text]"))
      one.parentElement.dataset.answer = one.value; // a field would cut a long one
    const found = document.querySelector("[data-print]");
    if (!found) return;
    try {
      const whole = load(found.dataset.print);
      if (!whole) return;
      place = found;
      note = [...place.childNodes];
      place.replaceChildren(...whole.childNodes);
      document.documentElement.classList.add("whole");
    } catch {
      // What is printed then says which part of the view it is.
    }
  });

  window.addEventListener("afterprint", () => {
    for (const one of folds) one.open = false;
    folds = [];
    if (place) place.replaceChildren(...note);
    place = null;
    document.documentElement.classList.remove("whole");
  });
})();
