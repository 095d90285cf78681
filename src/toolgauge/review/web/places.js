// The address: which view is shown, and what stands behind `?` in it. A view is opened by its name; views of others add
// themselves. "#/session/ID?state=new", "#/?state=new" (the queue), "#/lead".
"use strict";
(() => {
  const { make } = toolgauge;
  const nav = document.getElementById("places");
  const views = new Map(); // name -> open(place, rest, values)

  // open(content, rest, values): draws a view, returns (a promise of) {happened(detail)?, close()?}; rest: what follows
  // its name in the address; values: a Map of what stands behind `?`. label: of its link, for those that have one.
  function add(name, open, label = "") {
    views.set(name, open);
    if (label) nav.append(make("a", { href: `#/${name}`, "data-view": name }, label));
  }

  function current() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [name, rest = ""] = path.split("/");
    let said = rest;
    try {
      said = decodeURIComponent(rest);
    } catch {
      // what cannot be read names nothing
    }
    return { name, rest: said, values: new Map(new URLSearchParams(query)) };
  }

  function address(name, rest, values) {
    const query = new URLSearchParams([...values].filter(([, value]) => value)).toString();
    return `#/${name}${rest ? `/${encodeURIComponent(rest)}` : ""}${query ? `?${query}` : ""}`;
  }

  // name: of the view that is shown; a session is one of the queue.
  function mark(name) {
    const shown = name === "session" ? "" : name;
    for (const link of nav.children) {
      if (link.dataset.view === shown) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  Object.assign(toolgauge, { places: { add, current, address, mark, view: (name) => views.get(name) ?? views.get("") } });
})();
