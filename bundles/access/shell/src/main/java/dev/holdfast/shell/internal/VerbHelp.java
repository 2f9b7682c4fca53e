package dev.holdfast.shell.internal;

import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbOption;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.NameScoping;
import org.apache.karaf.shell.support.ansi.SimpleAnsi;

/** Prints the help of a command in the form of Karaf's own commands. */
final class VerbHelp {
  static final String OPTION = "--help";

  private static final String INDENT = "        ";

  private final ShellVerb command;
  private final Session session;
  private final List<String> lines = new ArrayList<>();

  VerbHelp(ShellVerb command, Session session) {
    this.command = command;
    this.session = session;
  }

  static String bold(String text) {
    return SimpleAnsi.INTENSITY_BOLD + text + SimpleAnsi.INTENSITY_NORMAL;
  }

  /** Returns the shell's name for an argument. */
  static String label(VerbArgument<?> argument) {
    return argument.label().toLowerCase(Locale.ROOT);
  }

  void print() {
    boolean global = NameScoping.isGlobalScope(session, ShellVerb.SCOPE);
    String scope = global ? "" : ShellVerb.SCOPE + ":";
    lines.add(bold("DESCRIPTION"));
    lines.add(INDENT + scope + bold(command.getName()));
    lines.add("");
    command.verb().lines().forEach(line -> lines.add("\t" + line));
    lines.add("");
    addSyntax(scope);
    addArguments();
    addOptions();
    PrintStream out = session.getConsole();
    lines.forEach(out::println);
    out.flush();
  }

  private void addSyntax(String scope) {
    StringBuilder syntax = new StringBuilder(INDENT + scope + command.getName() + " [options]");
    for (VerbArgument<?> argument : command.verb().arguments()) {
      syntax.append(argument.least() > 0 ? " " : " [").append(label(argument));
      syntax.append(argument.least() > 0 ? "" : "]");
    }
    lines.add(bold("SYNTAX"));
    lines.add(syntax.toString());
    lines.add("");
  }

  private void addArguments() {
    List<VerbArgument<?>> arguments = command.verb().arguments();
    if (arguments.isEmpty()) {
      return;
    }
    lines.add(bold("ARGUMENTS"));
    for (VerbArgument<?> argument : arguments) {
      addEntry(label(argument), argument.description());
      if (argument.least() > 0) {
        lines.add(INDENT + INDENT + "(required)");
      }
    }
    lines.add("");
  }

  private void addOptions() {
    lines.add(bold("OPTIONS"));
    for (VerbOption<?> option : command.verb().options()) {
      addEntry(option.name(), option.description());
      if (option.presence() == VerbOption.Presence.REQUIRED) {
        lines.add(INDENT + INDENT + "(required)");
      }
    }
    addEntry("-o, --output", ShellVerb.OUTPUT.description());
    lines.add(INDENT + INDENT + "(defaults to text)");
    addEntry(OPTION, "Display this help message");
    lines.add("");
  }

  private void addEntry(String name, String description) {
    lines.add(INDENT + bold(name));
    int width = session.getTerminal() == null ? 80 : session.getTerminal().getWidth();
    for (String line : description.lines().toList()) {
      addWrapped(line, Math.max(20, width - 2 * INDENT.length()));
    }
  }

  private void addWrapped(String text, int width) {
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > width) {
        lines.add(INDENT + INDENT + line);
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(INDENT + INDENT + line);
  }
}
