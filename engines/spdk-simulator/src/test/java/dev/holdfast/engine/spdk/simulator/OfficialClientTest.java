package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The client that SPDK publishes on PyPI, spdk 26.5, controls simulated targets. */
@Tag("slow")
class OfficialClientTest extends SimulatorTestBase {
  private static final String PROGRAM = "itests/lib/spdk-rpc";
  private static final long INSTALL_MINUTES = 10;
  private static final long RUN_MINUTES = 2;

  private static String packages;

  @BeforeAll
  static void install() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve(PROGRAM))) {
      root = root.getParent();
      assertThat(root).as("a folder above this one with " + PROGRAM).isNotNull();
    }
    Process program =
        new ProcessBuilder(root.resolve(PROGRAM).toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    packages = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(program.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES)).isTrue();
    assertThat(program.exitValue()).as(PROGRAM).isZero();
  }

  /** An ended program of the client. */
  private record Outcome(int exit, String text) {}

  /** Runs commands of the client, which ends at the first refusal. */
  private Outcome run(String target, List<String> commands) throws Exception {
    Path input = Files.write(folder.resolve("commands"), commands);
    ProcessBuilder builder =
        new ProcessBuilder("python3", "-m", "spdk.spdk_rpc", "-s", nodes.socket(target).toString())
            .redirectErrorStream(true)
            .redirectInput(input.toFile());
    builder.environment().put("PYTHONPATH", packages);
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(RUN_MINUTES, TimeUnit.MINUTES)).isTrue();
    return new Outcome(process.exitValue(), text);
  }

  private static List<String> script() throws IOException {
    try (var script = OfficialClientTest.class.getResourceAsStream("official-client.txt")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void scriptOfTheClientSucceedsAndLeavesTheStateThatItNames() throws Exception {
    Outcome outcome = run("a", script());
    assertThat(outcome.exit()).as(outcome.text()).isZero();
    JsonNode raid = call("a", "bdev_get_bdevs", "{'name':'raid'}").path(0);
    assertThat(raid.path("assigned_rate_limits").path("rw_ios_per_sec").intValue())
        .isEqualTo(2_000);
    assertThat(raid.path("uuid").textValue()).isEqualTo("0d0c0b0a-1111-4222-8333-444455556666");
    assertThat(lvolState("a", "two").path("base_snapshot").textValue()).isEqualTo("s1");
    Outcome attached =
        run(
            "b",
            List.of(
                "bdev_nvme_attach_controller -b r -t TCP -a 127.0.0.1 -f IPv4 -s 4420"
                    + " -n nqn.2026-11.dev.holdfast:official"
                    + " -q nqn.2026-11.dev.holdfast:target-b -l -1 -o 1",
                "bdev_nvme_get_controllers",
                "bdev_nvme_disable_controller r",
                "bdev_nvme_detach_controller r"));
    assertThat(attached.exit()).as(attached.text()).isZero();
    assertThat(attached.text()).contains("rn1").contains("\"state\": \"enabled\"");
  }

  @Test
  void clientShowsTheRecordedRefusals() throws Exception {
    assertRefusedBy("bdev_lvol_delete a/nope", -19, "No such device");
    assertRefusedBy("bdev_aio_create a.img a 4096", -17, "File exists");
    assertRefusedBy("bdev_raid_delete nope", -19, "raid bdev nope not found");
    assertRefusedBy("nvmf_delete_subsystem nqn.x:nope", -32602, "Invalid parameters");
    assertRefusedBy("bdev_nvme_opal_init -b x -p y", -32601, "Method not found");
  }

  private void assertRefusedBy(String command, int code, String message) throws Exception {
    Outcome outcome = run("a", List.of(command));
    assertThat(outcome.exit()).as(outcome.text()).isEqualTo(1);
    assertThat(outcome.text()).contains("\"code\": " + code, "\"message\": \"" + message + "\"");
  }
}
