// The tools of a session: a definition as a person reads it, and beside the dialogue the one of the call in focus.
"use strict";
(() => {
  const { t, make, show } = toolgauge;
  const DEEPEST = 4;

  const typeOf = (schema) => {
    const type = [schema.type].flat().filter((one) => typeof one === "string").join(" | ");
    const items = schema.items && typeof schema.items === "object" ? [schema.items.type].flat().filter(Boolean).join(" | ") : "";
    return items ? `${type} [${items}]` : type;
  };

  // The parameters of a schema, those inside of others with their path: [path, schema, is required] each.
  function* parameters(schema, path = "", depth = 0) {
    const required = Array.isArray(schema?.required) ? schema.required : [];
    for (const [name, one] of Object.entries(schema?.properties ?? {})) {
      if (!one || typeof one !== "object") continue;
      const at = path ? `${path}.${name}` : name;
      yield [at, one, required.includes(name)];
      if (depth < DEEPEST) yield* parameters(one.items && !Array.isArray(one.items) ? one.items : one, one.items ? `${at}[]` : at, depth + 1);
    }
  }

  function parameter([path, schema, isRequired]) {
    const values = Array.isArray(schema.enum) ? schema.enum.map((one) => JSON.stringify(one)).join(", ") : "";
    const facts = [typeOf(schema), isRequired ? t("required") : "", schema.default === undefined ? "" : t("default {value}", { value: JSON.stringify(schema.default).slice(0, 80) })].filter(Boolean);
    return [
      make("dt", {}, make("code", {}, show.clipped(path, 120)), " ", make("span", { class: "muted" }, show.clipped(facts.join(", "), 200))),
      make("dd", {}, typeof schema.description === "string" ? show.clipped(schema.description, 600) : null, values ? make("div", { class: "muted" }, t("one of:"), " ", make("code", {}, show.clipped(values, 400))) : null),
    ];
  }

  function definition(tool) {
    const found = [...parameters(tool.parameters)].slice(0, 200);
    return make(
      "div",
      { class: "tool" },
      typeof tool.description === "string" ? show.block(tool.description) : null,
      found.length ? make("dl", {}, ...found.flatMap(parameter)) : make("p", { class: "muted" }, t("(no parameters)")),
      show.fold(t("as JSON Schema"), () => show.block(show.pretty(JSON.stringify(tool.parameters ?? {})), { class: "data code", tabindex: "0" })),
    );
  }

  // All of them, folded.
  function list(session) {
    const one = (tool) => show.fold(show.clipped(String(tool.name), 200), () => definition(tool));
    return show.fold(t("Tools ({count})", { count: session.tools.length }), () => make("div", { class: "tools" }, ...session.tools.map(one)), { id: "tools" });
  }

  // The panel beside the dialogue follows the focus: the tool of the call, else all by name.
  function panel(session) {
    const box = make("aside", { class: "beside", "aria-label": t("Tool of the call") });
    const byName = new Map(session.tools.map((tool) => [tool.name, tool]));
    let shown = null;
    const follow = (name) => {
      if (name === shown || !byName.has(name)) return;
      shown = name;
      shownTool.replaceChildren(make("h2", {}, make("code", {}, show.clipped(name, 200))), definition(byName.get(name)));
    };
    const shownTool = make("div");
    box.append(shownTool, make("h2", {}, t("Tools ({count})", { count: byName.size })), make("ul", {}, ...[...byName.keys()].map((name) => make("li", {}, make("button", { type: "button", class: "follow", on: { click: () => follow(name) } }, make("code", {}, show.clipped(name, 200)))))));
    return { box, follow };
  }

  Object.assign(toolgauge, { tools: { list, panel } });
})();
