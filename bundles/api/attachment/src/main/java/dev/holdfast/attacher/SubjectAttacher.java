package dev.holdfast.attacher;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Base of attachers that request volumes for subjects, such as snapshots that must be taken. A
 * subject has a ticket if and only if {@link #demands} returns a demand. Register a subclass as
 * both {@link AttacherProvider} and {@link Reconciler}.
 *
 * <p>Level-triggered: tickets are computed from the present subjects and not from their changes.
 * The next pass therefore repairs the effects of a crash, a lost event or an absent bundle. Before
 * a ticket is added or removed, the decision is repeated on an uncached read: an outdated cache
 * must not attach a volume for a deleted subject. The attacher never changes tickets of other
 * types. A ticket's id is {@link AttachmentTicket#idOf}; it names a node only if the demand does,
 * so that maintenance runs on the volume's node or near its data.
 *
 * @param <S> the kind of the subjects
 */
@ConsumerType
public abstract class SubjectAttacher<S extends Resource<S>>
    implements AttacherProvider, Reconciler<S> {
  /**
   * Every change triggers this reconciler. The period covers changes that were lost by a defect.
   */
  private static final Duration PERIOD = Duration.ofMinutes(5);

  /** Delay before the next look at a new volume that has no VolumeAttachment yet. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final ResourceKind<S> kind;
  private final List<Watched<?>> also;

  /**
   * Creates an attacher.
   *
   * @param kind of the subjects
   * @param also the other kinds that {@link #demands} reads, each with the subjects that a change
   *     triggers
   */
  protected SubjectAttacher(ResourceKind<S> kind, List<Watched<?>> also) {
    this.kind = kind;
    this.also = List.copyOf(also);
  }

  /**
   * Decides which volumes a subject needs attached now. The result must depend only on the
   * resources that the method reads, because it is called first with a cache and then with the
   * store.
   *
   * @param subject an existing subject; a deleted subject demands nothing
   * @param reader of other resources, of the kinds given to the constructor only
   * @return at most one demand for each volume, never null
   * @throws StorageException when the demands cannot be determined now: tickets stay unchanged
   */
  protected abstract List<TicketDemand> demands(S subject, ResourceReader reader)
      throws StorageException;

  @Override
  public final ResourceKind<S> kind() {
    return kind;
  }

  @Override
  public final Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public final List<Watched<?>> watches() {
    return Stream.concat(
            Stream.of(new Watched<>(VolumeAttachment.KIND, this::subjects)), also.stream())
        .collect(Collectors.toList());
  }

  private Collection<String> subjects(VolumeAttachment attachment) {
    Set<String> names = new TreeSet<>();
    attachment.spec().attachmentTickets().values().stream()
        .filter(this::isOurs)
        .forEach(ticket -> names.add(subject(ticket)));
    if (kind.equals(Volume.KIND)) {
      names.add(attachment.name());
    }
    return names;
  }

  private boolean isOurs(AttachmentTicket ticket) {
    return ticket.type().equals(name());
  }

  /** Uses the owner's complete name, because ticket ids of long names are truncated. */
  private String subject(AttachmentTicket ticket) {
    String prefix = AttachmentTicket.idOf(name(), "");
    return ticket
        .ownerReference()
        .map(OwnerReference::name)
        .orElseGet(
            () -> ticket.id().startsWith(prefix) ? ticket.id().substring(prefix.length()) : "");
  }

  @Override
  public final Result reconcile(String subject, ReconcileContext context) throws StorageException {
    Set<String> holders = new TreeSet<>();
    for (VolumeAttachment attachment : context.list(VolumeAttachment.KIND, LabelSelector.ALL)) {
      if (attachment.spec().attachmentTickets().containsKey(idOf(subject))) {
        holders.add(attachment.name());
      }
    }
    if (holders.isEmpty() && context.get(kind, subject).isEmpty()) {
      return Result.DONE;
    }
    ResourceReader cache = new Cache(context);
    if (isSettled(wanted(subject, holders, cache), subject, cache)) {
      return Result.after(PERIOD);
    }
    ResourceReader store = new Stored(context);
    boolean missing = false;
    for (Map.Entry<String, Optional<AttachmentTicket>> entry :
        wanted(subject, holders, store).entrySet()) {
      missing |= !apply(subject, entry.getKey(), entry.getValue(), context);
    }
    return Result.after(missing ? SOON : PERIOD);
  }

  private String idOf(String subject) {
    return AttachmentTicket.idOf(name(), subject);
  }

  /**
   * Returns the subject's wanted ticket for each volume that has one or needs one; empty if the
   * ticket must be removed.
   */
  private Map<String, Optional<AttachmentTicket>> wanted(
      String name, Set<String> holders, ResourceReader reader) throws StorageException {
    Map<String, Optional<AttachmentTicket>> wanted = new LinkedHashMap<>();
    holders.forEach(volume -> wanted.put(volume, Optional.empty()));
    Optional<S> subject = reader.get(kind, name);
    if (subject.isPresent()) {
      for (TicketDemand demand : demands(subject.get(), reader)) {
        wanted.put(demand.volume(), Optional.of(ticket(subject.get(), demand)));
      }
    }
    return wanted;
  }

  private AttachmentTicket ticket(S subject, TicketDemand demand) {
    OwnerReference owner =
        new OwnerReference(
            ResourceKind.API_VERSION, kind.kind(), subject.name(), subject.metadata().uid(), false);
    return AttachmentTicket.EMPTY
        .withId(idOf(subject.name()))
        .withType(name())
        .withNodeID(demand.nodeID())
        .withParameters(demand.parameters())
        .withOwnerReference(Optional.of(owner));
  }

  private boolean isSettled(
      Map<String, Optional<AttachmentTicket>> wanted, String subject, ResourceReader reader)
      throws StorageException {
    for (Map.Entry<String, Optional<AttachmentTicket>> entry : wanted.entrySet()) {
      Optional<AttachmentTicket> present =
          reader.get(VolumeAttachment.KIND, entry.getKey()).flatMap(a -> present(a, subject));
      if (!isSame(present, entry.getValue())) {
        return false;
      }
    }
    return true;
  }

  private Optional<AttachmentTicket> present(VolumeAttachment attachment, String subject) {
    return Optional.ofNullable(attachment.spec().attachmentTickets().get(idOf(subject)))
        .filter(this::isOurs);
  }

  private static boolean isSame(
      Optional<AttachmentTicket> present, Optional<AttachmentTicket> wanted) {
    return wanted
        .map(ticket -> present.filter(ticket::asksTheSameAs).isPresent())
        .orElseGet(present::isEmpty);
  }

  /**
   * Updates the ticket of one volume. Returns false if the volume has no attachment resource yet.
   */
  private boolean apply(
      String subject, String volume, Optional<AttachmentTicket> wanted, ReconcileContext context)
      throws StorageException {
    Optional<VolumeAttachment> attachment = context.store().get(VolumeAttachment.KIND, volume);
    if (attachment.isEmpty()) {
      return wanted.isEmpty();
    }
    Optional<AttachmentTicket> present = present(attachment.get(), subject);
    if (isSame(present, wanted)) {
      return true;
    }
    if (wanted.isPresent()) {
      TicketEdits.put(attachment.get(), wanted.get(), context);
    } else {
      String why = kind.singular() + " " + subject + " does not need the volume any more";
      TicketEdits.remove(attachment.get(), present.get(), why, context);
    }
    return true;
  }

  /** Reads from the cache of the runtime. */
  private record Cache(ReconcileContext context) implements ResourceReader {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
      return context.get(kind, name);
    }

    @Override
    public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
      return context.list(kind, selector);
    }
  }

  /** Reads from the store. */
  private record Stored(ReconcileContext context) implements ResourceReader {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
        throws StorageException {
      return context.store().get(kind, name);
    }

    @Override
    public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector)
        throws StorageException {
      ResourceList<R> list = context.store().list(kind, selector);
      return list.items();
    }
  }
}
