package dev.holdfast.share.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.WriteProbe;
import java.time.Duration;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Conformance tests of servers of shares. A test class extends it and implements only {@link
 * #open}, which returns a host with one attached volume.
 */
public abstract class ShareServerKit {
  static final Duration LIMIT = Duration.ofSeconds(60);

  private ShareServerLab lab;

  /** Called by JUnit. */
  protected ShareServerKit() {}

  /**
   * Opens the host of one test, without shares.
   *
   * @return a host that the kit closes, not null
   * @throws Exception when the host cannot be opened
   */
  protected abstract ShareServerLab open() throws Exception;

  @BeforeEach
  final void openLab() throws Exception {
    lab = open();
  }

  @AfterEach
  final void closeLab() throws Exception {
    if (lab != null) {
      lab.close();
    }
  }

  /** Start, adoption, change and end. */
  @Nested
  final class Life extends LifeTopic {
    Life() {
      super(ShareServerKit.this);
    }
  }

  /** Successive claims. */
  @Nested
  final class Epochs extends EpochsTopic {
    Epochs() {
      super(ShareServerKit.this);
    }
  }

  /** Requests that cannot be executed. */
  @Nested
  final class Refusals extends RefusalsTopic {
    Refusals() {
      super(ShareServerKit.this);
    }
  }

  final ShareServerLab lab() {
    return lab;
  }

  final ShareServer server() {
    return lab.server();
  }

  final ShareObservation observe(ShareRequest request) throws StorageException {
    return server().observe(request, LIMIT);
  }

  final WriteProbe probe(ShareRequest request) throws StorageException {
    return server().probe(request.instance(), LIMIT);
  }

  final ShareObservation started(ShareRequest request) throws StorageException {
    server().start(request, LIMIT);
    ShareObservation seen = observe(request);
    assertThat(seen.serves()).as("start serves: %s", seen).isTrue();
    return seen;
  }

  final void assertNothingIsLeft() throws Exception {
    assertThat(server().instances()).as("instances after the end").isEmpty();
    assertThat(lab.leftovers()).as("leftovers after the end").isEmpty();
  }

  static void assertFails(String rule, ErrorCode expected, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).as("%s: what the call throws", rule).isInstanceOf(StorageException.class);
    assertThat(((StorageException) thrown).code())
        .as("%s: code of \"%s\"", rule, thrown.getMessage())
        .isEqualTo(expected);
  }
}
