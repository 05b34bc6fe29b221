// For every tab: what needs a script to be of use is shown only where there is one.
"use strict";

document.documentElement.classList.add("scripted");
