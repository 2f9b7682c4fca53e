package dev.holdfast.client;

import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Commands over a store in memory, with running controllers. */
abstract class StoreTest {
  /** Long enough for a loaded machine: reaching it is a failure. */
  static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));

  /** For what never comes: reaching it is what is expected. */
  static final Waiting SHORT = Waiting.upTo(Duration.ofMillis(50));

  MemoryResourceStore store;
  FakeControllers controllers;
  Volumes volumes;
  Attachments attachments;
  Disks disks;
  final List<String> progress = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  final void startControllers() throws Exception {
    store = new MemoryResourceStore();
    controllers = new FakeControllers(store);
    volumes = new Volumes(store);
    attachments = new Attachments(store);
    disks = new Disks(store);
    controllers.addNode("node-1");
  }

  @AfterEach
  final void stopControllers() {
    controllers.close();
  }

  final Waiting reporting(Duration timeout) {
    return new Waiting(timeout, progress::add);
  }

  final void addTicket(String volume, String id, String type, String node) throws StorageException {
    controllers.update(
        VolumeAttachment.KIND,
        volume,
        a -> {
          Map<String, AttachmentTicket> tickets = new LinkedHashMap<>(a.spec().attachmentTickets());
          tickets.put(id, AttachmentTicket.of(id, type, node, Map.of(), 1));
          return a.withSpec(a.spec().withAttachmentTickets(tickets));
        });
  }

  static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      ErrorCode code, ThrowingCallable call) {
    return Assertions.assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> Assertions.assertThat(e.code()).isEqualTo(code));
  }
}
