// JSON values as they were written: numbers that JavaScript would write otherwise (1.0, very long ones) stay as they stand,
// where the browser can; what nobody edits is not changed by being read.
"use strict";
(() => {
  const isWritten = JSON.isRawJSON ?? (() => false);
  const asWritten = (key, value, context) => (typeof value === "number" && context && context.source !== String(value) && JSON.rawJSON ? JSON.rawJSON(context.source) : value);
  const parse = (text) => JSON.parse(text, asWritten);

  const isNumber = (value) => typeof value === "number" || isWritten(value);
  // An object or a list: something with values inside.
  const isNested = (value) => typeof value === "object" && value !== null && !isWritten(value);
  const isObject = (value) => isNested(value) && !Array.isArray(value);

  const plain = (number) => (isWritten(number) ? Number(number.rawJSON) : number);

  Object.assign(toolgauge, { values: { parse, plain, isNumber, isNested, isObject } });
})();
