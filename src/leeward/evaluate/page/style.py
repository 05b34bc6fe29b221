"""Style: how the page looks, on a screen, on a phone and on paper."""

from leeward.pictures import colour

STYLE = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 1rem; max-width: 62rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; overflow-wrap: break-word; }}
h1 {{ font-size: 1.75rem; line-height: 1.25; margin: .5rem 0; }}
h2 {{ font-size: 1.35rem; line-height: 1.3; margin: 0 0 .5rem; }}
h3 {{ font-size: 1.08rem; margin: 1.6rem 0 .3rem; }}
section {{ border-top: 1px solid #ccc; margin-top: 2.2rem; padding-top: 1.2rem; }}
p, ul, dl {{ max-width: 46rem; margin: .5rem 0; }}
ul {{ padding-left: 1.3rem; }}
li {{ margin: .25rem 0; }}
a {{ color: {colour.BLUE}; }}
a:focus-visible, .wide:focus-visible, summary:focus-visible {{
  outline: 3px solid {colour.BLUE}; outline-offset: 2px; }}
nav h2 {{ font-size: 1rem; margin-top: 1rem; }}
nav ul {{ columns: 2 18rem; max-width: none; }}
nav li {{ break-inside: avoid; }}
.lead {{ font-size: 1.05rem; color: #444; }}
.mark {{ background: {colour.RED}; color: #fff; font-weight: 700; padding: .6rem .9rem;
  margin: 0 0 1rem; max-width: none; }}
header .mark {{ position: sticky; top: 0; }}
figure {{ margin: 1rem 0; }}
figcaption {{ font-size: .9rem; color: #444; max-width: 46rem; }}
summary {{ cursor: pointer; }}
.wide {{ overflow-x: auto; }}
figure svg {{ display: block; width: 100%; min-width: 44rem; height: auto; }}
table {{ border-collapse: collapse; font-size: .85rem; margin: .3rem 0 1rem; }}
caption {{ text-align: left; font-weight: 600; padding: .4rem 0; }}
th, td {{ padding: .3rem .45rem; text-align: right; border-bottom: 1px solid #ddd;
  font-variant-numeric: tabular-nums; vertical-align: top; }}
th {{ font-weight: 600; }}
thead th {{ border-bottom: 2px solid #888; vertical-align: bottom; }}
th[scope=row], td.text, th.text {{ text-align: left; }}
tr.ours th, tr.ours td {{ background: #eaf3fa; }}
th[scope=row] {{ min-width: 9.5rem; }}
dt {{ font-weight: 600; margin-top: .7rem; }}
dd {{ margin: .1rem 0 0 1.2rem; }}
@media (max-width: 40rem) {{ body {{ padding: .75rem; }} h1 {{ font-size: 1.4rem; }}
  dd {{ margin-left: .6rem; }} }}
@media print {{ body {{ max-width: none; padding: 0; font-size: 10pt; }}
  .wide {{ overflow: visible; }} figure svg {{ min-width: 0; }}
  figure, tr {{ break-inside: avoid; }} h2, h3 {{ break-after: avoid; }}
  .mark {{ border: 2px solid {colour.RED}; color: {colour.RED}; background: #fff;
    position: static; }} nav {{ display: none; }} }}
"""
