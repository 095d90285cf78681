// Leads on from an address of an earlier site, with the scoring that it asks for.
"use strict";
(() => {
  const { href } = document.getElementById("moved");
  const scoring = new URLSearchParams(location.hash.slice(1)).get("scoring");
  location.replace(scoring ? `${href}&scoring=${encodeURIComponent(scoring)}` : href);
})();
