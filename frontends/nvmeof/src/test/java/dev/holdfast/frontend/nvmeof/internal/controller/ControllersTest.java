package dev.holdfast.frontend.nvmeof.internal.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The controllers of one bundle, and their numbers. */
final class ControllersTest {
  private static final ControllerId ID = new ControllerId("nqn.test", 7);

  private final AtomicLong now = new AtomicLong(TimeUnit.SECONDS.toNanos(1));
  private final Controllers controllers = new Controllers(now::get, 0, below -> 0);

  @AfterEach
  void close() {
    controllers.close();
  }

  @Test
  void controllerWhoseFirstQueueIsOnTheWayIsNotForgotten() {
    NvmeController made = controllers.resume(ID, new UUID(1, 2), "nqn.host");
    controllers.tick();
    assertThat(controllers.find(ID)).containsSame(made);
  }

  @Test
  void controllerWhoseFirstQueueDoesNotComeIsForgotten() {
    NvmeController made = controllers.resume(ID, new UUID(1, 2), "nqn.host");
    controllers.tick();
    now.addAndGet(NvmeController.ORPHANED_NANOS + 1);
    controllers.tick();
    assertThat(made.empty()).isTrue();
    assertThat(controllers.find(ID)).isEmpty();
  }
}
