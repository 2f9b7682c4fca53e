package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.rule.testkit.NamedRules;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Checks an attacher whose tickets other clients write: it removes tickets whose requested time has
 * expired or whose owner was deleted, and no others. A subclass creates the attacher.
 */
@ExtendWith(NamedRules.class)
public abstract class ReaperKit {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LIMIT = Duration.ofMinutes(20);

  /**
   * Creates the attacher for each start of a node; the result also is an {@link AttacherProvider}.
   */
  protected abstract Reconciler<?> attacher();

  private AttachmentTicket ticket(String id) {
    return AttachmentTicket.EMPTY.withId(id).withType(((AttacherProvider) attacher()).name());
  }

  private Simulation simulation(Faults faults) {
    return Simulation.builder(1)
        .faults(faults)
        .reconciler("node-1", this::attacher)
        .reconciler("node-2", this::attacher)
        .build();
  }

  private Set<String> tickets(ResourceStore store) throws StorageException {
    return Volumes.tickets(store, ((AttacherProvider) attacher()).name());
  }

  private String difference(ResourceStore store, Set<String> expected) throws StorageException {
    Set<String> found = tickets(store);
    return found.equals(expected) ? "" : "expected " + expected + ", found " + found;
  }

  private static OwnerReference owner(String kind, String name, String uid, String apiVersion) {
    return new OwnerReference(apiVersion, kind, name, uid, false);
  }

  @Test
  final void nameIsNotReserved() {
    Reconciler<?> attacher = attacher();
    ReservedNames.check(((AttacherProvider) attacher).name(), attacher.getClass());
  }

  @Test
  final void aTicketWithoutAnEndIsNeverTakenBack() throws Exception {
    Simulation simulation = simulation(Faults.ALL);
    Volumes.create(simulation.store(), "v");
    Volumes.put(simulation.store(), "v", ticket("t"));
    simulation.run(DAY);
    assertThat(tickets(simulation.store())).as("tickets after a day").containsExactly("v/t");
  }

  @Test
  final void ticketIsRemovedAfterItsRequestedTime() throws Exception {
    Simulation simulation = simulation(Faults.NONE);
    ResourceStore store = simulation.store();
    Volumes.create(store, "v");
    Instant end = simulation.clock().instant().plus(Duration.ofHours(1));
    Volumes.put(store, "v", ticket("short").withExpiresAt(Optional.of(end)));
    Volumes.put(store, "v", ticket("long").withExpiresAt(Optional.of(end.plus(DAY))));
    // Clocks may differ by ten minutes.
    simulation.run(Duration.ofMinutes(45));
    assertThat(tickets(store))
        .as("tickets before the end")
        .containsExactlyInAnyOrder("v/short", "v/long");
    simulation.runUntilEqual(
        "tickets after the end", Duration.ofMinutes(45), s -> difference(s, Set.of("v/long")));
    simulation.runUntilEqual(
        "event of the removal",
        LIMIT,
        s -> isReported(s) ? "" : "expected an event TicketRemoved, found none");
  }

  private static boolean isReported(ResourceStore store) throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .anyMatch(event -> event.spec().reason().equals("TicketRemoved"));
  }

  @Test
  final void ticketIsRemovedWhenItsOwnerIsDeleted() throws Exception {
    Simulation simulation = simulation(Faults.ALL);
    ResourceStore store = simulation.store();
    Volumes.create(store, "v");
    Snapshot owner = store.create(Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v")));
    Volumes.put(
        store, "v", ticket("t").withOwnerReference(Optional.of(OwnerReference.controller(owner))));
    simulation.run(Duration.ofMinutes(10));
    assertThat(tickets(store)).as("tickets while the owner exists").containsExactly("v/t");
    store.delete(Snapshot.KIND, "s", "");
    store.create(Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v")));
    simulation.runUntilEqual(
        "tickets of an owner that was replaced by a namesake", LIMIT, s -> difference(s, Set.of()));
  }

  @Test
  final void ownerOfAnUnknownKindIsTreatedAsPresent() throws Exception {
    Simulation simulation = simulation(Faults.ALL);
    ResourceStore store = simulation.store();
    Volumes.create(store, "v");
    Volumes.put(
        store, "v", ticket("pod").withOwnerReference(Optional.of(owner("Pod", "p", "u", "v1"))));
    Volumes.put(
        store,
        "v",
        ticket("other")
            .withOwnerReference(Optional.of(owner("Unheard", "p", "u", ResourceKind.API_VERSION))));
    simulation.run(DAY);
    assertThat(tickets(store))
        .as("tickets after a day")
        .containsExactlyInAnyOrder("v/pod", "v/other");
  }

  @Test
  final void theTicketsOfOthersStay() throws Exception {
    Simulation simulation = simulation(Faults.ALL);
    ResourceStore store = simulation.store();
    Volumes.create(store, "v");
    Volumes.put(
        store, "v", ticket("t").withType("foreign").withExpiresAt(Optional.of(Instant.EPOCH)));
    simulation.run(DAY);
    assertThat(Volumes.tickets(store, "foreign"))
        .as("tickets of another type after a day")
        .containsExactly("v/t");
  }
}
