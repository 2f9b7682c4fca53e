package dev.holdfast.language;

import java.util.List;

/** The wordings that the language rules reject, each with a suggestion. */
final class Vocabulary {
  private static final String UP_TO_FOUR = "(?: [\\w'{}@.-]+){0,4}";
  private static final String ACTOR = "the subject: the caller, a client, another node";
  private static final String PERIOD = "the period: until, while or after something, or a number";

  static final List<Rule> RULES =
      List.of(
          Rule.word("nobody(?:'s| else)?", "a subject: no client, no caller, no other node"),
          Rule.word("somebody(?:'s| else)?|someone(?:'s| else)?", ACTOR),
          Rule.word("whoever|whomever", "the subject: the client that, each caller that"),
          Rule.word(
              "(?:any|every)(?:body|one)(?:'s| else)?|no one",
              "the subject: any client, each caller, no node"),
          Rule.word("(?:go|goes|going|went|gone) on(?: with)?", "continue, resume, happen"),
          Rule.word("for good", "permanently, or the condition that ends it"),
          Rule.word(
              "(?<!there )(?:is|are|was|were) no(?! (?:longer|more|less|fewer|later|earlier"
                  + "|older|newer|larger|smaller|greater|longer|shorter|lower|higher|one)\\b)"
                  + " \\w+",
              "\"is not a …\", \"has no …\" or the positive statement"),
          Rule.word("of (?:its|their|his|her) own accord", "without a request, by itself"),
          Rule.word(
              "let in|(?:let|lets|letting)"
                  + UP_TO_FOUR
                  + " in(?=\\s*(?:[.,;:!?)]|$"
                  + "|(?:again|and|only|but|as|when|while|once|until|by|or|if|nobody)\\b))",
              "admit, accept"),
          Rule.word("put(?:s|ting)?" + UP_TO_FOUR + " back", "restore, return"),
          Rule.word(
              "(?:make|makes|making|made)" + UP_TO_FOUR + " current(?! \\w+s\\b)",
              "rebuild, update, resync"),
          Rule.word("seed \\d{3}", "a section of docs/ or an RFC, or nothing"),
          Rule.exact("SEMANTICS", "a section of docs/ or an RFC, or nothing"),
          Rule.word("now and then", "the number or the condition"),
          Rule.word("meanwhile", PERIOD),
          Rule.word("for now|for a moment|as of some moment", PERIOD),
          Rule.word("none any more", "removed, no longer a member"),
          Rule.word("anew", "again"),
          Rule.word("in vain", "the failure, or the time-out"),
          Rule.word("heard of", "reports, is silent"),
          Rule.word("news once|attend(?:s|ed|ing)? to", "the action: report, sync, serve"),
          Rule.word("(?:of|at) one moment", "consistent with each other, at the same time"),
          Rule.word("(?:is|are|was|were|be|been) at work", "running, in flight, open"),
          Rule.firstOfJavadoc(
              "What|Who|Whom|Whose|Where",
              "a noun phrase for a type or a field, a verb phrase for a method"));

  private Vocabulary() {}
}
