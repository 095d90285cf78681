// People: who takes part, their links, and who reviews what. A link is made here; the server is told its sha256 alone.
"use strict";
(() => {
  const { t, ngettext, count, make, desk, keys, names, show, pages, places, queue, sha256 } = toolgauge;
  const { button, careful, cell, numeric } = pages;
  if (document.body.dataset.lead === undefined) return;
  const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

  function newToken() {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }

  // A link for somebody, shown until the page is left or it was put away.
  async function link(page, name, isLead) {
    const token = newToken();
    const done = await page.give({ do: "addperson", name, is_lead: isLead, token_sha256: sha256(token) }, t("{name} was added.", { name }));
    if (!done) return false;
    page.link = { name, address: `${location.origin}/enter?token=${token}` };
    await page.redraw();
    document.getElementById("link")?.select();
    return true;
  }

  async function copy(page) {
    const field = document.getElementById("link");
    field.select();
    let done = false;
    try {
      await navigator.clipboard.writeText(field.value);
      done = true;
    } catch {
      done = document.execCommand("copy"); // plain http in a local network has no other way
    }
    page.say(done ? t("The link is copied.") : t("Copy it with the keyboard."));
  }

  function shown(page) {
    if (!page.link) return null;
    const { name, address } = page.link;
    const away = () => {
      page.link = null;
      page.redraw();
    };
    return make(
      "section",
      { class: "boxed" },
      make("h2", {}, t("The personal link of {name}", { name: name.slice(0, 80) })),
      make("p", {}, t("Do not share it: whoever opens it reviews under this name. It is shown only once; you can make a new one at any time.")),
      LOOPBACK.includes(location.hostname) ? make("p", { class: "muted" }, t("It opens on this machine. For other machines, start the review with --host and open it here under that address.")) : null,
      make("div", { class: "toolbar" }, make("input", { id: "link", class: "wide", readonly: true, value: address, "aria-label": t("Link") }), button(t("Copy"), () => copy(page), { id: "copy-link" }), button(t("Hide"), away)),
    );
  }

  function actions(page, person, you) {
    const { name } = person;
    const own = name === you;
    const about = (words) => ({ "aria-label": `${words}: ${name.slice(0, 80)}`, id: `${words}-${name}` });
    const others = page.names.filter((one) => one !== name);
    return [
      button(person.is_active ? t("New link") : t("Let in again"), () => link(page, name, person.is_lead), about(t("New link"))),
      !own && person.is_active ? button(person.is_lead ? t("Make a reviewer") : t("Make a lead"), () => page.give({ do: "setrole", name, is_lead: !person.is_lead }), about(t("Role"))) : null,
      person.open && others.length ? button(t("Give sessions to others"), () => page.give({ do: "handover", name, to: others }, t("The undecided sessions of {name} went to the others.", { name })), about(t("Give sessions to others"))) : null,
      person.to_inspect && others.length ? button(t("Give inspections to others"), () => page.give({ do: "changeinspector", name }, t("The open inspections of {name} went to the others.", { name })), about(t("Give inspections to others"))) : null,
      !own && person.is_active ? careful(t("Remove"), t("Press again: the link no longer opens"), () => page.give({ do: "removeperson", name }, t("{name} was removed; their work is kept.", { name })), about(t("Remove"))) : null,
    ];
  }

  function row(page, person, you) {
    const role = person.is_active ? (person.is_lead ? t("lead") : t("reviewer")) : t("removed");
    return make(
      "tr",
      { class: person.is_active ? null : "gone" },
      pages.head(show.clipped(person.name, 80), person.name === you ? make("span", { class: "muted" }, ` ${t("(you)")}`) : null),
      cell(role),
      numeric(count(person.open)),
      numeric(count(person.decided)),
      numeric(count(person.to_inspect)),
      cell(person.last ? names.when(person.last) : "–"),
      cell(make("div", { class: "row-actions" }, ...actions(page, person, you).filter(Boolean))),
    );
  }

  // The forms are made once, so that nothing typed is lost when the page is drawn again.
  function newcomer(page) {
    const name = make("input", { id: "new-name", required: true, maxlength: 80, autocomplete: "off" });
    const lead = make("input", { type: "checkbox" });
    const submit = async (event) => {
      event.preventDefault();
      if (await link(page(), name.value.trim(), lead.checked)) Object.assign(name, { value: "" });
    };
    return make("form", { class: "toolbar", on: { submit } }, make("label", {}, t("Name"), " ", name), make("label", {}, lead, " ", t("also a lead")), make("button", {}, t("Make a link")));
  }

  function distribution(page) {
    const who = pages.people(t("Reviewers"), () => true);
    const share = pages.number(t("Of 100 sessions, reviewed independently by several people"), 20, { min: 0, max: 100, step: 1 });
    const opinions = pages.number(t("Reviewers per session"), 2, { min: 2, max: 9, step: 1 });
    const seed = pages.number(t("Random seed"), 0, { min: 0, max: 999999, step: 1 });
    const give = make("button", {}, "");
    const submit = (event) => {
      event.preventDefault();
      const people = who.names();
      page().give({ do: "distribute", reviewers: people, twice: share.value() / 100, opinions: opinions.value(), seed: seed.value() }, t("The sessions are distributed."));
    };
    const element = make("form", { on: { submit } }, who.element, make("div", { class: "toolbar" }, share.element, opinions.element, seed.element, give));
    return (people, free) => {
      who.show(people);
      give.textContent = ngettext("Distribute {count} new session", "Distribute {count} new sessions", free);
      give.disabled = !free;
      return element;
    };
  }

  async function view(content) {
    let page = null;
    const form = newcomer(() => page);
    const distribute = distribution(() => page);
    const draw = (team, drawn) => {
      page = drawn;
      page.names = team.people.filter((one) => one.is_active).map((one) => one.name);
      const heads = [t("Name"), t("Role"), { number: t("To decide") }, { number: t("Decided") }, { number: t("To inspect") }, t("Last active"), t("Actions")];
      return [
        make("h1", {}, t("People")),
        shown(page),
        pages.table(heads, team.people.map((one) => row(page, one, team.you)), t("Participants")),
        make("h2", {}, t("New participant")),
        form,
        make("h2", {}, t("Who reviews what")),
        make("p", {}, t("New sessions without a reviewer: {free} of {all}. They are distributed evenly, counting what each person already has. To assign single sessions, select them in the queue.", { free: count(team.free), all: count(team.sessions) })),
        distribute(page.names, team.free),
      ];
    };
    keys.use([["q", t("back to the queue"), () => (location.hash = "")]]);
    return pages.open(content, () => desk.get("/api/team"), draw);
  }

  // For the queue: who reviews these sessions from now on, in a dialog.
  async function assign(ids, done) {
    const team = await desk.get("/api/team");
    const who = pages.people(t("Reviewers"), () => false);
    who.show(team.people.filter((one) => one.is_active).map((one) => one.name));
    const problem = make("p", { role: "alert" });
    const dialog = make("dialog", { id: "assign", "aria-labelledby": "assign-heading" });
    const give = async () => {
      const people = who.names();
      try {
        await desk.send({ do: "assign", sessions: Object.fromEntries(ids.map((id) => [id, people])) });
      } catch (refused) {
        problem.textContent = desk.said(refused);
        return;
      }
      dialog.close();
      done?.();
    };
    dialog.append(
      make("h2", { id: "assign-heading" }, ngettext("Who reviews {count} session?", "Who reviews {count} sessions?", ids.length)),
      make("p", { class: "muted" }, t("One: this person reviews the session. Several: they review it independently, without seeing each other. Nobody: the assignment is removed.")),
      who.element,
      problem,
      make("div", { class: "toolbar" }, button(t("Assign"), give), button(t("Cancel"), () => dialog.close())),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  queue.extend({
    chosen: (listed, ids) => [button(t("Assign…"), () => assign([...ids], listed.refresh), { title: "a", id: "assign-chosen" })],
    keys: () => [["a", t("assign the selected sessions"), () => document.getElementById("assign-chosen")?.click()]],
  });
  places.add("team", view, t("People"));
})();
