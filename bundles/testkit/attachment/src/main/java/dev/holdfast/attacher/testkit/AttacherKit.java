package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.rule.testkit.NamedRules;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Checks an attacher that keeps a ticket for each subject that needs one: random histories with
 * crashes, lost answers, late and duplicate events. A subclass creates the attacher, a small world
 * for it and changes of that world, and defines the expected tickets.
 */
@ExtendWith(NamedRules.class)
public abstract class AttacherKit {
  private static final Duration TIME = Duration.ofSeconds(60);
  private static final Duration LIMIT = Duration.ofMinutes(20);
  private static final int CHANGES = 15;
  private static final String FOREIGN = "foreign";

  /**
   * Creates the attacher for each start of a node; the result also is an {@link AttacherProvider}.
   */
  protected abstract Reconciler<?> attacher();

  /** Stores at least one volume and the resources that the attacher reads. */
  protected abstract void prepare(ResourceStore store) throws StorageException;

  /**
   * Changes a resource that the attacher reads, as a user or another controller does. Called many
   * times; must not remove the volumes of {@link #prepare}.
   */
  protected abstract void change(ResourceStore store, Random random) throws StorageException;

  /** Returns the tickets that the attacher must hold for the stored resources, never null. */
  protected abstract Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException;

  private AttacherProvider type() {
    return (AttacherProvider) attacher();
  }

  private Simulation simulation(long seed, Faults faults) {
    return Simulation.builder(seed)
        .faults(faults)
        .reconciler("node-1", this::attacher)
        .reconciler("node-2", this::attacher)
        .invariant("others' tickets stay", AttacherKit::foreignTicketsStay)
        .build();
  }

  private void play(long seed) throws StorageException {
    Simulation simulation = simulation(seed, Faults.ALL);
    prepare(simulation.store());
    addForeign(simulation.store());
    for (int i = 0; i < CHANGES; i++) {
      int millis = simulation.random().nextInt((int) TIME.toMillis());
      simulation.after(Duration.ofMillis(millis), s -> change(s, simulation.random()));
    }
    simulation.run(TIME);
    simulation.calm();
    simulation.runUntilEqual("a ticket for each subject that needs one", LIMIT, this::difference);
  }

  private String difference(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> expected = wanted(store);
    Set<ExpectedTicket> found = ExpectedTicket.stored(store, type().name());
    return found.equals(expected)
        ? ""
        : "expected "
            + new TreeSet<>(expected)
            + ", found "
            + found
            + ": missing "
            + without(expected, found)
            + ", unexpected "
            + without(found, expected);
  }

  private static Set<ExpectedTicket> without(Set<ExpectedTicket> all, Set<ExpectedTicket> some) {
    Set<ExpectedTicket> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
  }

  private static void addForeign(ResourceStore store) throws StorageException {
    for (VolumeAttachment attachment :
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items()) {
      Volumes.put(
          store, attachment.name(), AttachmentTicket.of(FOREIGN, FOREIGN, "n", Map.of(), 0));
    }
  }

  /**
   * Adds the foreign ticket to each volume, and a second one that marks that the first must remain.
   */
  private static void foreignTicketsStay(ResourceStore store) throws StorageException {
    List<VolumeAttachment> all = store.list(VolumeAttachment.KIND, LabelSelector.ALL).items();
    for (VolumeAttachment attachment : all) {
      boolean written = attachment.metadata().generation() > 1;
      assertThat(!written || attachment.spec().attachmentTickets().containsKey(FOREIGN))
          .as("the ticket of another type on " + attachment.name())
          .isTrue();
    }
  }

  @Test
  final void aTicketExistsIfAndOnlyIfItsSubjectNeedsIt() throws Exception {
    Histories.play(40, this::play);
  }

  @Test
  final void changesWhileTheAttacherWasStoppedAreReconciled() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      Simulation simulation = simulation(seed, Faults.NONE);
      simulation.crash("node-1");
      simulation.crash("node-2");
      ResourceStore store = simulation.store();
      prepare(store);
      addForeign(store);
      for (int i = 0; i < CHANGES; i++) {
        change(store, simulation.random());
      }
      VolumeAttachment first = store.list(VolumeAttachment.KIND, LabelSelector.ALL).items().get(0);
      Volumes.put(store, first.name(), leftover());
      simulation.calm();
      simulation.runUntilEqual("a ticket for each change that was missed", LIMIT, this::difference);
    }
  }

  /** Returns a ticket whose subject was removed while the attacher was not running. */
  private AttachmentTicket leftover() {
    OwnerReference owner =
        new OwnerReference(
            ResourceKind.API_VERSION, attacher().kind().kind(), "long-gone", "gone", false);
    return AttachmentTicket.EMPTY
        .withId(AttachmentTicket.idOf(type().name(), "long-gone"))
        .withType(type().name())
        .withOwnerReference(Optional.of(owner));
  }

  @Test
  final void theTypeIsNamedAndTheReconcilerHasItsName() {
    assertThat(type().name()).as("name of the attacher").isNotBlank().isEqualTo(attacher().name());
    assertThat(type().role()).as("role of the attacher").isNotNull();
    ReservedNames.check(type().name(), attacher().getClass());
  }
}
