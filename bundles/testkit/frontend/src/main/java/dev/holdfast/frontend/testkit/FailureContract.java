package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.PublishedExport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failing device fails requests but not connections. */
public abstract class FailureContract extends FrontendContract {

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected FailureContract(FrontendFixture fixture) {
    super(fixture);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  final void failedRequestReportsItsErrorAndTheSessionRecovers(ErrorCode code) throws Exception {
    FailingBlockDevice device = new FailingBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("failing", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(4096, 1), false));
      device.fail(Optional.of(code));
      assertFailsWith(code, () -> get(client.read(0, 4096)));
      assertFailsWith(code, () -> get(client.read(0, 1 << 20)));
      assertFailsWith(code, () -> get(client.write(0, random(4096, 2), false)));
      assertFailsWith(code, () -> get(client.write(0, random(4096, 2), true)));
      assertFailsWith(code, () -> get(client.flush()));
      assertFailsWith(code, () -> get(client.writeZeroes(0, 4096)));
      device.fail(Optional.empty());
      assertContent(get(client.read(0, 4096)), random(4096, 1));
    }
  }

  @Test
  final void failsOneOfManyInFlight() throws Exception {
    HeldBlockDevice held = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    FailingBlockDevice device = new FailingBlockDevice(held);
    PublishedExport export = publish("failing", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      List<CompletableFuture<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        reads.add(client.read(i * 4096L, 4096));
      }
      awaitHeld(held, reads.size());
      device.fail(Optional.of(ErrorCode.IO));
      CompletableFuture<Void> failing = client.write(0, random(4096, 1), false);
      if (!fixture().repliesInOrder()) {
        assertFailsWith(ErrorCode.IO, () -> get(failing));
      }
      for (int i = 0; i < reads.size(); i++) {
        held.releaseOldest();
      }
      assertFailsWith(ErrorCode.IO, () -> get(failing));
      for (CompletableFuture<byte[]> read : reads) {
        assertContent(get(read), new byte[4096]);
      }
    }
  }

  @Test
  final void refusesARangeOutsideTheDevice() throws Exception {
    PublishedExport export = publish("failing", new MemoryBlockDevice(SIZE));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      assertThatThrownBy(
              () -> get(client.read(SIZE - 512L, 1024)), "a read across the end of the device")
          .hasCauseInstanceOf(RequestFailedException.class);
      assertThatThrownBy(
              () -> get(client.write(SIZE, random(512, 1), false)),
              "a write behind the end of the device")
          .hasCauseInstanceOf(RequestFailedException.class);
      assertContent(get(client.read(0, 512)), new byte[512]);
    }
  }

  private void assertFailsWith(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request, "a request that the device fails with %s", code)
        .cause()
        .isInstanceOfSatisfying(
            RequestFailedException.class,
            failure ->
                assertThat(failure.status())
                    .as("status for %s of the device", code)
                    .isEqualTo(fixture().statusOf(code)));
  }
}
