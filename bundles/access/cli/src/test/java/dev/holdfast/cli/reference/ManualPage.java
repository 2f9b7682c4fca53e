package dev.holdfast.cli.reference;

import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbOption;
import java.util.List;
import java.util.stream.Collectors;

/** The manual page {@code holdfast(1)}, from the table of verbs. */
final class ManualPage {
  private static final String HEAD =
      """
      .\\" Made from the table of commands by ReferenceFilesTest.
      .TH HOLDFAST 1
      .SH NAME
      holdfast \\- block and file storage for hosts and Kubernetes
      .SH SYNOPSIS
      .B holdfast
      .I COMMAND
      [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]
      .SH DESCRIPTION
      .B holdfast up
      starts a node on this machine, and
      .B holdfast down
      stops it.
      .B holdfast help
      lists the commands for the node itself. The commands below work on the resources of the cluster.
      .PP
      Every command takes
      .BR \\-\\-data " " \\fIDIR\\fR ,
      the state directory of the node, and
      .BR \\-\\-output " text|json."
      .SH COMMANDS
      """;
  private static final String TAIL =
      """
      .SH EXIT STATUS
      .TP
      .B 0
      Done.
      .TP
      .B 1
      Not done; the message on the standard error says why.
      .TP
      .B 2
      The command was used wrongly.
      .SH ENVIRONMENT
      .TP
      .B HOLDFAST_DATA
      State directory where
      .B \\-\\-data
      is absent.
      """;

  private ManualPage() {}

  static String of(List<Verb> verbs) {
    return HEAD + verbs.stream().map(ManualPage::section).collect(Collectors.joining()) + TAIL;
  }

  private static String section(Verb verb) {
    String arguments =
        verb.arguments().stream()
            .map(argument -> " \\fI" + escaped(argument.shown()) + "\\fR")
            .collect(Collectors.joining());
    StringBuilder text =
        new StringBuilder(".SS holdfast " + escaped(verb.name()) + arguments + "\n");
    text.append(paragraph(verb.description()));
    for (VerbArgument<?> argument : verb.arguments()) {
      text.append(".TP\n.I ").append(escaped(argument.label())).append('\n');
      text.append(paragraph(argument.description()));
    }
    for (VerbOption<?> option : verb.options()) {
      text.append(".TP\n.B ").append(escaped(option.name()));
      text.append(option.isFlag() ? "" : " \\fI" + escaped(option.label()) + "\\fR").append('\n');
      text.append(paragraph(option.description()));
    }
    return text.toString();
  }

  /** A line that begins with a dot or an apostrophe would be a request of roff. */
  private static String paragraph(String description) {
    return description
        .lines()
        .map(ManualPage::escaped)
        .map(line -> line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }
}
