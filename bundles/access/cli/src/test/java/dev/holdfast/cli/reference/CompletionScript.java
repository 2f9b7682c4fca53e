package dev.holdfast.cli.reference;

import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Words that bash offers after {@code holdfast}: commands and options, from the table of verbs. */
final class CompletionScript {
  private static final String HEAD =
      """
      # bash completion of holdfast, made from the table of commands by ReferenceFilesTest.
      # Source it, or install it as /usr/share/bash-completion/completions/holdfast.
      # shellcheck shell=bash

      # Prints the words that can follow COMMAND [SUBCOMMAND].
      _holdfast_words() { # WORD...
        case "$*" in
      """;
  private static final String TAIL =
      """
        esac
      }

      _holdfast() {
        local word=${COMP_WORDS[COMP_CWORD]} words='' i
        local -a before=()
        for ((i = 1; i < COMP_CWORD; i++)); do
          [[ ${COMP_WORDS[i]} == -* ]] || before+=("${COMP_WORDS[i]}")
        done
        # The command has at most two words; what follows are its arguments.
        for ((i = 2; i >= 0 && ${#words} == 0; i--)); do
          [ "${#before[@]}" -lt "$i" ] || words=$(_holdfast_words "${before[@]:0:i}")
        done
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        # Without a word of a command, names of files.
        [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
      }

      complete -o filenames -F _holdfast holdfast
      """;

  private CompletionScript() {}

  static String of(List<Verb> verbs, List<String> others) {
    Map<String, List<String>> words = new TreeMap<>();
    words.put("", new ArrayList<>(others));
    for (Verb verb : verbs) {
      String[] parts = verb.name().split(" ", -1);
      add(words, "", parts[0]);
      if (parts.length > 1) {
        add(words, parts[0], parts[1]);
      }
      options(verb).forEach(option -> add(words, verb.name(), option));
    }
    String cases =
        words.entrySet().stream()
            .map(
                entry ->
                    "    '%s') echo '%s' ;;\n"
                        .formatted(
                            entry.getKey(),
                            entry.getValue().stream()
                                .sorted()
                                .distinct()
                                .collect(Collectors.joining(" "))))
            .collect(Collectors.joining());
    return HEAD + cases + TAIL;
  }

  private static Stream<String> options(Verb verb) {
    return Stream.concat(
        verb.options().stream().map(VerbOption::name), Stream.of("--data", "--help", "--output"));
  }

  private static void add(Map<String, List<String>> words, String command, String word) {
    words.computeIfAbsent(command, unused -> new ArrayList<>()).add(word);
  }
}
