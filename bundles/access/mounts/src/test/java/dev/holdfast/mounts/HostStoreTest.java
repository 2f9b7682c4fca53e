package dev.holdfast.mounts;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.Volumes;
import dev.holdfast.client.Waiting;
import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Work of this host on volumes of a store in memory, with running controllers. */
abstract class HostStoreTest {
  /** Long enough for a loaded machine: reaching it is a failure. */
  static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));

  /** For what never comes: reaching it is what is expected. */
  static final Waiting SHORT = Waiting.upTo(Duration.ofMillis(50));

  MemoryResourceStore store;
  FakeControllers controllers;
  Volumes volumes;
  Attachments attachments;

  @BeforeEach
  final void startControllers() throws Exception {
    store = new MemoryResourceStore();
    controllers = new FakeControllers(store);
    volumes = new Volumes(store);
    attachments = new Attachments(store);
    controllers.addNode("node-1");
  }

  @AfterEach
  final void stopControllers() {
    controllers.close();
  }

  static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      ErrorCode code, ThrowingCallable call) {
    return Assertions.assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> Assertions.assertThat(e.code()).isEqualTo(code));
  }
}
