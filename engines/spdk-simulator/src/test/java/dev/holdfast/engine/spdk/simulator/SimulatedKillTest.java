package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that connects while the target is killed. */
class SimulatedKillTest {
  private static final int ROUNDS = 50;

  @TempDir Path folder;

  private Optional<ErrorCode> callOnce() {
    try (JsonRpcClient client = JsonRpcClient.connect("target", folder.resolve("s"))) {
      client.call("spdk_get_version", Duration.ofSeconds(10));
      return Optional.empty();
    } catch (StorageException e) {
      return Optional.of(e.code());
    }
  }

  @Test
  void callDuringAKillIsAnsweredOrLosesItsConnection() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      SimulatedTarget target =
          SimulatedTarget.start(folder.resolve("s"), new Fabric(), folder::resolve);
      CompletableFuture<Optional<ErrorCode>> call = CompletableFuture.supplyAsync(this::callOnce);
      target.kill();
      assertThat(call.get(20, TimeUnit.SECONDS))
          .as("round %d", round)
          .isIn(Optional.empty(), Optional.of(ErrorCode.UNREACHABLE));
    }
  }
}
