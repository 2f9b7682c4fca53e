package dev.holdfast.commands.verbs;

import dev.holdfast.commands.ClusterViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The verbs {@code replica list}, {@code ticket list} and {@code event list}. */
final class ListVerbs {
  private static final VerbOption<String> OF_VOLUME =
      VerbOption.of(
          "--volume", "VOLUME", String.class, Candidates.VOLUMES, "Only those of one volume.");

  static final Verb REPLICAS =
      new Verb(
          "replica list",
          List.of(),
          List.of(OF_VOLUME),
          "Show replicas: where they are, and whether they have the volume's content.",
          ListVerbs::replicas);

  static final Verb TICKETS =
      new Verb(
          "ticket list",
          List.of(),
          List.of(OF_VOLUME),
          "Show the tickets that ask for volumes, and whether they have what they ask for.",
          ListVerbs::tickets);

  /** Severity of an event. */
  private enum EventType {
    NORMAL,
    WARNING;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final VerbOption<String> FOR =
      VerbOption.of("--for", "NAME", String.class, "Only events of the object with this name.");
  private static final VerbOption<EventType> TYPE =
      VerbOption.of(
          "--type", "TYPE", EventType.class, "Only those of one type: normal or warning.");

  static final Verb EVENTS =
      new Verb(
          "event list",
          List.of(),
          List.of(FOR, TYPE),
          "Show the events of volumes, nodes and other objects, the latest last.",
          ListVerbs::events);

  private ListVerbs() {}

  private static Output replicas(VerbCall call) throws StorageException {
    Optional<String> volume = call.value(OF_VOLUME);
    ResourceList<Replica> found =
        call.context()
            .store()
            .list(
                Replica.KIND,
                volume.isPresent()
                    ? LabelSelector.label(Volume.LABEL, volume.get())
                    : LabelSelector.ALL);
    return views(call).replicas(found);
  }

  private static Output tickets(VerbCall call) throws StorageException {
    ResourceStore store = call.context().store();
    Optional<String> volume = call.value(OF_VOLUME);
    return views(call)
        .tickets(
            volume.isPresent()
                ? store.get(VolumeAttachment.KIND, volume.get()).stream().toList()
                : store.list(VolumeAttachment.KIND, LabelSelector.ALL).items());
  }

  private static Output events(VerbCall call) throws StorageException {
    List<Event> events =
        call.context().store().list(Event.KIND, LabelSelector.ALL).items().stream()
            .filter(
                event -> call.value(FOR).map(event.spec().regarding().name()::equals).orElse(true))
            .filter(
                event ->
                    call.value(TYPE)
                        .map(type -> type.toString().equalsIgnoreCase(event.spec().type()))
                        .orElse(true))
            .toList();
    return views(call).events(events);
  }

  private static ClusterViews views(VerbCall call) {
    return new ClusterViews(call.context().clock());
  }
}
