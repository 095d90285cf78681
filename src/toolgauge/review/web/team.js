// People: who takes part, their links, and who reviews what. A link is made here; what is kept of it is its sha256 alone.
"use strict";
(() => {
  const { t, ngettext, count, make, button, desk, names, show, pages, places } = toolgauge;
  if (document.body.dataset.lead === undefined) return;
  const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
  const newToken = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)))).replaceAll("+", "-").replaceAll("/", "_");

  // A link for somebody, shown until the page is left or it was put away.
  async function link(page, name, isLead) {
    const token = newToken();
    if (!(await page.give({ do: "addperson", name, is_lead: isLead, token }, t("{name} was added.", { name })))) return false;
    page.link = { name, address: `${location.origin}/enter?token=${token}` };
    await page.redraw();
    document.getElementById("link")?.select();
    return true;
  }

  function shown(page) {
    if (!page.link) return null;
    const hide = () => {
      page.link = null;
      page.redraw();
    };
    return make(
      "section",
      { class: "boxed" },
      make("h2", {}, t("The personal link of {name}", { name: page.link.name.slice(0, 80) })),
      make("p", {}, t("Do not share it: whoever opens it reviews under this name. It is shown only once; you can make a new one at any time.")),
      LOOPBACK.includes(location.hostname) ? make("p", { class: "muted" }, t("It opens on this machine. For other machines, start the review with --host and open it here under that address.")) : null,
      make("div", { class: "toolbar" }, make("input", { id: "link", class: "wide", readonly: true, value: page.link.address, "aria-label": t("Link") }), button(t("Hide"), hide)),
    );
  }

  function actions(page, person, you) {
    const { name } = person;
    const isOther = name !== you && person.is_active;
    const others = page.names.filter((one) => one !== name);
    const about = (words) => ({ "aria-label": `${words}: ${name.slice(0, 80)}`, id: `${words}-${name}` });
    return [
      button(person.is_active ? t("New link") : t("Let in again"), () => link(page, name, person.is_lead), about(t("New link"))),
      isOther ? button(person.is_lead ? t("Make a reviewer") : t("Make a lead"), () => page.give({ do: "setrole", name, is_lead: !person.is_lead }), about(t("Role"))) : null,
      person.open && others.length ? button(t("Give sessions to others"), () => page.give({ do: "handover", name, to: others }, t("The undecided sessions of {name} went to the others.", { name })), about(t("Give sessions to others"))) : null,
      person.to_inspect && others.length ? button(t("Give inspections to others"), () => page.give({ do: "changeinspector", name }, t("The open inspections of {name} went to the others.", { name })), about(t("Give inspections to others"))) : null,
      isOther ? pages.careful(t("Remove"), t("Press again: the link no longer opens"), () => page.give({ do: "removeperson", name }, t("{name} was removed; their work is kept.", { name })), about(t("Remove"))) : null,
    ];
  }

  function row(page, person, you) {
    const role = person.is_active ? (person.is_lead ? t("lead") : t("reviewer")) : t("removed");
    const name = [show.clipped(person.name, 80), person.name === you ? make("span", { class: "muted" }, ` ${t("(you)")}`) : null];
    return [name, role, count(person.open), count(person.decided), count(person.to_inspect), person.last ? names.when(person.last) : "–", make("div", { class: "row-actions" }, ...actions(page, person, you).filter(Boolean))];
  }

  // The forms are made once, so that nothing typed is lost when the page is drawn again.
  function newcomer(page) {
    const name = make("input", { id: "new-name", required: true, maxlength: 80, autocomplete: "off" });
    const lead = make("input", { type: "checkbox" });
    const submit = async (event) => {
      event.preventDefault();
      if (await link(page(), name.value.trim(), lead.checked)) name.value = "";
    };
    return make("form", { class: "toolbar", on: { submit } }, make("label", {}, t("Name"), " ", name), make("label", {}, lead, " ", t("also a lead")), make("button", {}, t("Make a link")));
  }

  function distribution(page) {
    const who = pages.people(t("Reviewers"), true);
    const share = pages.number(t("Of 100 sessions, reviewed independently by several people"), 20, 100);
    const opinions = pages.number(t("Reviewers per session"), 2, 9, 2);
    const seed = pages.number(t("Random seed"), 0, 999999);
    const give = make("button", {}, "");
    const submit = (event) => {
      event.preventDefault();
      page().give({ do: "distribute", reviewers: who.names(), twice: share.value() / 100, opinions: opinions.value(), seed: seed.value() }, t("The sessions are distributed."));
    };
    const element = make("form", { on: { submit } }, who.element, make("div", { class: "toolbar" }, share.element, opinions.element, seed.element, give));
    return (people, free) => {
      who.fill(people);
      give.textContent = ngettext("Distribute {count} new session", "Distribute {count} new sessions", free);
      give.disabled = !free;
      return element;
    };
  }

  function view(content) {
    let page = null;
    const form = newcomer(() => page);
    const distribute = distribution(() => page);
    const heads = [t("Name"), t("Role"), { number: t("To decide") }, { number: t("Decided") }, { number: t("To inspect") }, t("Last active"), t("Actions")];
    const draw = (team, drawn) => {
      page = drawn;
      page.names = team.people.filter((one) => one.is_active).map((one) => one.name);
      return [
        make("h1", {}, t("People")),
        shown(page),
        pages.table(t("Participants"), heads, team.people.map((one) => row(page, one, team.you))),
        make("h2", {}, t("New participant")),
        form,
        make("h2", {}, t("Who reviews what")),
        make("p", {}, t("New sessions without a reviewer: {free} of {all}. They are distributed evenly, counting what each person already has. To assign single sessions, select them in the queue.", { free: count(team.free), all: count(team.sessions) })),
        distribute(page.names, team.free),
      ];
    };
    return pages.open(content, () => desk.get("/api/team"), draw);
  }

  // For the queue: who reviews these sessions from now on, in a dialog.
  async function assign(ids, done) {
    const team = await desk.get("/api/team");
    const who = pages.people(t("Reviewers"), false);
    who.fill(team.people.filter((one) => one.is_active).map((one) => one.name));
    const problem = make("p", { role: "alert" });
    const give = async () => {
      const people = who.names();
      try {
        await desk.send({ do: "assign", sessions: Object.fromEntries(ids.map((id) => [id, people])) });
        dialog.close();
        done();
      } catch (refused) {
        problem.textContent = desk.said(refused);
      }
    };
    const dialog = make(
      "dialog",
      { id: "assign", "aria-labelledby": "assign-heading", on: { close: () => dialog.remove() } },
      make("h2", { id: "assign-heading" }, ngettext("Who reviews {count} session?", "Who reviews {count} sessions?", ids.length)),
      make("p", { class: "muted" }, t("One: this person reviews the session. Several: they review it independently, without seeing each other. Nobody: the assignment is removed.")),
      who.element,
      problem,
      make("div", { class: "toolbar" }, button(t("Assign"), give), button(t("Cancel"), () => dialog.close())),
    );
    document.body.append(dialog);
    dialog.showModal();
  }

  places.add("team", view, t("People"));
  Object.assign(toolgauge, { team: { assign } });
})();
