// Charts as PNG: the SVG of the same address is drawn on a canvas of twice its size.
// Loaded before the page is shown, so that the first click on a button is not lost.
"use strict";

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-picture]") : null;
  if (!button) return;
  const image = new Image();
  button.disabled = true;
  const fail = () => { button.disabled = false; button.textContent = "This chart cannot be drawn"; };
  image.onerror = fail;
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.naturalWidth;
    canvas.height = 2 * image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((drawn) => {
      if (!drawn) { fail(); return; }
      const link = document.createElement("a");
      link.href = URL.createObjectURL(drawn);
      link.download = button.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      button.disabled = false;
    }, "image/png");
  };
  image.src = button.dataset.picture;
});
