package dev.holdfast.cli.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.CommandLineVerbs;
import dev.holdfast.commands.verbs.Verb;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are made from the table of verbs: {@code -Dreference.write=true} writes them. */
class ReferenceFilesTest {
  private static final Path ROOT = Path.of("../../..").toAbsolutePath().normalize();
  private static final Path COMPLETION = ROOT.resolve("libexec/completion.bash");
  private static final Path PAGE = ROOT.resolve("deploy/man/holdfast.1");

  /** Commands that the script {@code holdfast} answers itself. */
  private static final List<String> OF_THE_SCRIPT =
      List.of("up", "down", "logs", "page", "shell", "help");

  private static List<Verb> verbs() {
    return CommandLineVerbs.all().stream().sorted(Comparator.comparing(Verb::name)).toList();
  }

  private static void check(Path file, String expected) throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    assertThat(file).as("write it by -Dreference.write=true").hasContent(expected);
  }

  @Test
  void completionHasTheCommandsOfTheTable() throws Exception {
    check(COMPLETION, CompletionScript.of(verbs(), OF_THE_SCRIPT));
  }

  @Test
  void manualPageHasTheCommandsOfTheTable() throws Exception {
    check(PAGE, ManualPage.of(verbs()));
  }

  @Test
  void scriptHasTheCommandsThatAreNotInTheTable() throws Exception {
    String script = Files.readString(ROOT.resolve("holdfast"));
    assertThat(OF_THE_SCRIPT).allSatisfy(word -> assertThat(script).contains("    " + word));
  }

  @ParameterizedTest
  @CsvSource({
    "volum, volume",
    "volume cre, create",
    "volume create demo --repl, --replicas",
    "cluster b, backup",
    "audit --us, --user",
    "u, 'umount up upgrade'"
  })
  void bashOffersCommandsAndOptions(String typed, String offered) throws Exception {
    String[] words = ("holdfast " + typed).split(" ", -1);
    String script =
        ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _holdfast; echo \"${COMPREPLY[*]}\"";
    List<String> command = new ArrayList<>(List.of("bash", "-c", script));
    command.add(COMPLETION.toString());
    command.addAll(List.of(words));
    Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
    assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
        .isEqualTo(offered);
  }
}
