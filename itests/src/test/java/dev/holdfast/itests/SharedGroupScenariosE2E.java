package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two whole nodes in virtual machines with one volume group: real LVM, lvmlockd and sanlock. The
 * scripts of {@code itests/scenarios/shared-group} run one after another in one sandbox.
 */
@Tag("slow")
@Tag("soak")
class SharedGroupScenariosE2E {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final Path PROGRAM = TREE.resolve("itests/lib/sandbox-vms");
  private static final Path SCRIPTS = TREE.resolve("itests/scenarios/shared-group");
  private static final Duration START = Duration.ofMinutes(30);
  private static final Duration LIMIT = Duration.ofHours(4);
  private static final String FIRST = "use";

  private static Path data;
  private static Path output;
  private static Process sandbox;

  @BeforeAll
  static void start() throws IOException {
    // Machines have a /tmp of their own, in which the programs of this one are not seen.
    Path folder = Files.createTempDirectory(TREE.resolve("itests/target"), "vms");
    data = folder.resolve("d");
    output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
                PROGRAM.toString(),
                "--vms",
                "2",
                "--shared-disk",
                "32G",
                "--data",
                data.toString(),
                "--run",
                "cat")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("HOLDFAST_NO_BUILD", "yes");
    sandbox = builder.start();
    Await.until(
        "the nodes are ready: " + output,
        START,
        () -> {
          assertThat(sandbox.isAlive()).as("the sandbox runs: %s", output).isTrue();
          return Files.exists(data.resolve("ready"));
        });
  }

  /** The sandbox ends with its standard input. */
  @AfterAll
  static void stop() throws Exception {
    sandbox.getOutputStream().close();
    assertThat(sandbox.waitFor()).as("the sandbox ended: %s", output).isZero();
  }

  private static Command.Result run(String name) {
    return Command.of(PROGRAM.toString(), "scenario", "--data", data.toString(), name)
        .within(LIMIT)
        .run();
  }

  static List<String> scenarios() throws IOException {
    List<String> names = new ArrayList<>(List.of(FIRST));
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      files
          .map(file -> file.getFileName().toString().replaceFirst("\\.sh$", ""))
          .filter(name -> !name.equals(FIRST))
          .sorted()
          .forEach(names::add);
    }
    return names;
  }

  /** The document's commands need nodes without a disk, so they come first. */
  @ParameterizedTest
  @MethodSource("scenarios")
  void scenarioPasses(String name) {
    assertThat(run(name).succeeded().out()).contains("Scenario " + name + " passed");
  }

  @Test
  void unknownScenarioIsRefusedWithTheNamesOfAll() {
    Command.Result refused = run("none");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("unknown scenario \"none\"", FIRST);
  }
}
