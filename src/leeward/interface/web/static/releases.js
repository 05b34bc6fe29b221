// Rows of a table without loading the whole page anew. Without this script the form does the same.
"use strict";

(() => {
  const form = document.getElementById("filters");
  const rows = document.getElementById("rows");
  if (!form || !rows) return;

  let newest = 0;
  let waiting = 0;

  const show = async (address, remember) => {
    const own = ++newest;
    const focused = rows.contains(document.activeElement) ? document.activeElement.id : "";
    rows.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (own !== newest) return;
      const fresh = page.getElementById("rows");
      if (!fresh) throw new Error("no rows");
      rows.replaceChildren(...fresh.childNodes);
      history[remember ? "pushState" : "replaceState"](null, "", address);
      const again = focused && document.getElementById(focused);
      if (again) again.focus();
    } catch {
      if (own === newest) location.assign(address);
    } finally {
      if (own === newest) rows.removeAttribute("aria-busy");
    }
  };

  const address = () => {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) asked.append(name, value);
    const text = asked.toString();
    return form.action + (text ? "?" + text : "");
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    show(address(), true);
  });

  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    const typed = event.target instanceof HTMLInputElement;
    waiting = setTimeout(() => show(address(), !typed), typed ? 350 : 0);
  });

  rows.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!link || link.hasAttribute("download") || link.pathname !== new URL(form.action).pathname) return;
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const asked = new URL(link.href).searchParams;
    form.elements.sort.value = asked.get("sort") || "";
    form.elements.order.value = asked.get("order") || "";
    show(link.href, true);
  });

  window.addEventListener("popstate", () => location.reload());
})();
