package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A runbook of {@code docs/runbooks}, whose commands a test runs as they stand in the file. */
final class Runbook {
  private static final Path DOCUMENTS = Path.of("../docs/runbooks");
  private static final Pattern BLOCK =
      Pattern.compile("^ *```sh\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);

  private final String text;
  private final Path programs;
  private final Map<String, String> variables;

  /**
   * Reads a runbook.
   *
   * @param variables names and values that its commands use
   * @param folder for the program {@code holdfast}
   */
  Runbook(String name, Path distribution, Path folder, Map<String, String> variables) {
    try {
      text = Files.readString(DOCUMENTS.resolve(name));
      programs = Files.createDirectories(folder);
      Path program = folder.resolve("holdfast");
      Files.writeString(
          program, "#!/bin/sh\nexec '" + distribution.resolve("holdfast") + "' \"$@\"\n");
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.variables = Map.copyOf(variables);
  }

  /** Runs the commands of a section in their order; each must succeed. Returns what they print. */
  List<String> play(String section) {
    int start = text.indexOf("\n## " + section + "\n");
    assertThat(start).as("section %s", section).isNotNegative();
    int end = text.indexOf("\n## ", start + 1);
    Matcher block = BLOCK.matcher(text.substring(start, end < 0 ? text.length() : end));
    List<String> outputs = new ArrayList<>();
    while (block.find()) {
      Command command =
          Command.of("bash", "-ec", block.group(1))
              .with("PATH", programs + ":" + System.getenv("PATH"))
              .with("HOLDFAST_JAVA_OPTS", RunningNode.QUICK)
              .within(Duration.ofMinutes(5));
      for (Map.Entry<String, String> variable : variables.entrySet()) {
        command = command.with(variable.getKey(), variable.getValue());
      }
      outputs.add(command.run().succeeded().out());
    }
    assertThat(outputs).as("commands of section %s", section).isNotEmpty();
    return outputs;
  }
}
