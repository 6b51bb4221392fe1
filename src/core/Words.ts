/**
 * Every sentence that a person reads, built from data: what is wrong with a fact, why a decision is as it is, and what
 * the verbs answer.
 */
export * from "./words/Decisions.ts"
export * from "./words/Facts.ts"
export * from "./words/Text.ts"
export * from "./words/Verbs.ts"
