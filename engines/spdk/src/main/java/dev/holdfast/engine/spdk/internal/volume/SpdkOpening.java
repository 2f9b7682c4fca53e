package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Phase;
import dev.holdfast.engine.spdk.internal.replica.LegToken;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One attempt to open, resume or adopt a volume.
 *
 * <pre>
 *   open    replicas ─ generation in the register ─ fence ─ which replicas count ─ their epoch
 *           ─ generation on the disks ─ leftovers ─ mirror, subsystem
 *   resume  session on the disks ─ connection
 *   adopt   register ─ generation on the disks ─ connection ─ requests of hosts continue
 * </pre>
 */
public final class SpdkOpening {
  private final SpdkContext context;
  private final OpenRequest request;
  private final Consumer<SpdkVolume> closed;
  private final List<String> missing = new ArrayList<>();
  private List<ReplicaLeg> found = List.of();

  /**
   * Prepares an attempt.
   *
   * @param closed called when the opening has ended
   */
  public SpdkOpening(SpdkContext context, OpenRequest request, Consumer<SpdkVolume> closed) {
    this.context = context;
    this.request = request;
    this.closed = closed;
  }

  private StorageException failure(ErrorCode code, String what) {
    return new StorageException(code, "volume " + request.volume() + ": " + what);
  }

  private StorageException conflict(String what) {
    return failure(ErrorCode.CONFLICT, what + ": open it again");
  }

  /** A step that ends the connections to the records when it fails. */
  private interface Step {
    SpdkVolume run() throws StorageException;
  }

  private SpdkVolume unlessFailed(Step step) throws StorageException {
    try {
      find();
      return step.run();
    } catch (StorageException | RuntimeException | Error e) {
      found.forEach(ReplicaLeg::disconnect);
      throw e;
    }
  }

  private boolean isLocal(ReplicaLocation location) {
    return location.nodeId().equals(request.nodeId());
  }

  private ReplicaLeg find(ReplicaLocation location) throws StorageException {
    if (isLocal(location)) {
      return context.replicas().open(location);
    }
    ReplicaLeg leg = ReplicaLeg.remote(location, context.nodes().node(location.nodeId()));
    if (leg.record().phase() == Phase.REBUILDING) {
      throw failure(ErrorCode.NOT_FOUND, "replica " + leg.name() + " is not rebuilt");
    }
    return leg;
  }

  private void fence(ReplicaLeg leg, LegToken token) throws StorageException {
    if (leg.isRemote()) {
      leg.fence(token);
    } else {
      context.service().exclusively(leg.place().location(), () -> leg.fence(token));
    }
  }

  /** Connects to the replicas that are there. */
  private void find() throws StorageException {
    List<ReplicaLeg> there = new ArrayList<>();
    for (ReplicaLocation location : request.replicas()) {
      try {
        there.add(find(location));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.INVALID) {
          throw e;
        }
        missing.add(location.replica() + " (" + e.getMessage() + ")");
      }
      found = List.copyOf(there);
    }
    if (there.isEmpty()) {
      throw failure(ErrorCode.NOT_FOUND, "no replica is there: " + missing);
    }
  }

  static SortedSet<String> identities(List<ReplicaLeg> legs) {
    return legs.stream().map(ReplicaLeg::identity).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Opens it in a new generation.
   *
   * @param superseding run when this attempt may serve, before it does
   */
  public SpdkVolume open(Runnable superseding) throws StorageException {
    return unlessFailed(
        () -> {
          SpdkMembers members = new SpdkMembers(request.volume(), request.register());
          List<ReplicaLeg> current = current(members.now());
          requireSize(current);
          requireNewer(current, members.now());
          members.claim(request.nodeId(), claimed(members.now(), current));
          superseding.run();
          SpdkLegs all = new SpdkLegs(context, request.volume(), current);
          boolean equal = all.withdrawIntact();
          for (ReplicaLeg leg : current) {
            fence(leg, new LegToken(members.now().generation(), 1));
          }
          List<ReplicaLeg> counted = counted(current, equal);
          members.decide(identities(counted), reason(current, counted));
          SpdkLegs legs = new SpdkLegs(context, request.volume(), counted);
          long generation = members.now().generation();
          legs.write(record -> record.opened(new Opening(generation, 1, false)));
          for (ReplicaLeg leg : counted) {
            leg.removeLeftovers();
          }
          found.stream().filter(leg -> !counted.contains(leg)).forEach(ReplicaLeg::disconnect);
          SpdkVolume opened = volume(legs, members, legs.serve());
          opened.purge();
          return opened;
        });
  }

  private SpdkVolume volume(SpdkLegs legs, SpdkMembers members, BlockDevice below) {
    return new SpdkVolume(context, request, legs, members, below, closed);
  }

  /** Returns the replicas that are there and members of the last epoch. */
  private List<ReplicaLeg> current(Membership last) throws StorageException {
    if (last.members().isEmpty()) {
      requireAlike();
      return found;
    }
    List<ReplicaLeg> current =
        found.stream().filter(leg -> last.members().contains(leg.identity())).toList();
    if (current.isEmpty()) {
      throw failure(
          ErrorCode.UNREACHABLE,
          "no current replica is there: members are "
              + last.members()
              + ", missing "
              + missing
              + ", not current "
              + found.stream().map(ReplicaLeg::name).toList());
    }
    return current;
  }

  /** At the first opening all replicas count, so they must hold the same. */
  private void requireAlike() throws StorageException {
    if (!missing.isEmpty()) {
      throw failure(ErrorCode.NOT_FOUND, "is opened for the first time and lacks " + missing);
    }
    String content = found.get(0).record().owner().content();
    for (ReplicaLeg leg : found) {
      if (!leg.record().owner().content().equals(content)) {
        throw failure(
            ErrorCode.INVALID,
            "replicas "
                + found.get(0).name()
                + " and "
                + leg.name()
                + " were made of different contents: delete one of them");
      }
    }
  }

  private static SortedSet<String> claimed(Membership last, List<ReplicaLeg> current) {
    return last.members().isEmpty() ? identities(current) : last.members();
  }

  private void requireSize(List<ReplicaLeg> current) throws StorageException {
    for (ReplicaLeg leg : current) {
      if (request.sizeBytes() > leg.record().sizeBytes()) {
        throw failure(
            ErrorCode.INVALID,
            "replica "
                + leg.name()
                + " has "
                + leg.record().sizeBytes()
                + " bytes, "
                + request.sizeBytes()
                + " are requested: expand the volume after it was opened");
      }
    }
  }

  private void requireNewer(List<ReplicaLeg> current, Membership last) throws StorageException {
    for (ReplicaLeg leg : current) {
      if (leg.record().opening().generation() > last.generation()) {
        throw conflict(
            "replica "
                + leg.name()
                + " was opened in generation "
                + leg.record().opening().generation()
                + ", and the register was restored to an older state, "
                + last.generation());
      }
    }
  }

  /**
   * Returns the replicas that count: all, if they are known to be equal. After an unclean stop they
   * differ in what was in flight, and a mirror would read from either. Each of them holds every
   * acknowledged write, so one of them counts, on this node if there is one. The others are
   * rebuilt.
   */
  static List<ReplicaLeg> counted(List<ReplicaLeg> current, boolean equal) {
    boolean alike = current.stream().map(leg -> leg.record().shape()).distinct().count() == 1;
    boolean clean = current.stream().allMatch(leg -> leg.record().opening().clean());
    if (alike && (clean || equal)) {
      return current;
    }
    return current.stream()
        .min(Comparator.comparing(ReplicaLeg::isRemote))
        .map(List::of)
        .orElse(current);
  }

  private String reason(List<ReplicaLeg> current, List<ReplicaLeg> counted) {
    return counted.size() == current.size()
        ? "opened" + (missing.isEmpty() ? "" : " without " + missing)
        : "opened after an unclean stop with replica " + counted.get(0).name();
  }

  /** Continues an opening that another engine of this node handed over. */
  public SpdkVolume resume(Handover handover) throws StorageException {
    SpdkHandover state = SpdkHandover.of(request.volume(), handover);
    return unlessFailed(
        () -> {
          SpdkLegs legs = served(state.legs());
          for (ReplicaLeg leg : legs.all()) {
            Opening last = leg.record().opening();
            if (last.generation() != state.generation() || last.session() >= handover.session()) {
              throw conflict("a later opening has taken replica " + leg.name());
            }
            fence(leg, new LegToken(last.generation(), handover.session()));
          }
          long generation = legs.record().opening().generation();
          legs.write(record -> record.opened(new Opening(generation, handover.session(), false)));
          return volume(
              legs,
              SpdkMembers.handedOver(request.volume(), request.register(), generation),
              legs.takeOver());
        });
  }

  /** Returns the legs of these identities, all of which must be there. */
  private SpdkLegs served(Set<String> identities) throws StorageException {
    List<ReplicaLeg> legs =
        found.stream().filter(leg -> identities.contains(leg.identity())).toList();
    if (legs.size() != identities.size()) {
      throw conflict("a current replica is not there: missing " + missing);
    }
    found.stream().filter(leg -> !legs.contains(leg)).forEach(ReplicaLeg::disconnect);
    return new SpdkLegs(context, request.volume(), legs);
  }

  /** Continues what an earlier process left serving. */
  public SpdkVolume adopt() throws StorageException {
    SpdkMembers members = new SpdkMembers(request.volume(), request.register());
    return unlessFailed(
        () -> {
          OptionalLong left = left(context, found);
          if (left.isEmpty()) {
            throw failure(ErrorCode.NOT_FOUND, "no earlier process left it open: open it");
          }
          Membership now = members.now();
          if (now.generation() != left.getAsLong() || !now.owner().equals(request.nodeId())) {
            context.replicas().remains().remove(request.volume());
            throw conflict("node " + now.owner() + " serves it in generation " + now.generation());
          }
          SpdkLegs legs = served(now.members());
          if (legs.all().stream().map(leg -> leg.record().shape()).distinct().count() > 1) {
            legs.withdraw();
            throw conflict("an operation on its replicas was interrupted");
          }
          for (ReplicaLeg leg : legs.all()) {
            Opening last = leg.record().opening();
            fence(leg, new LegToken(last.generation(), last.session() + 1));
          }
          BlockDevice below = legs.takeOver();
          legs.subsystems().access(legs.nqn(), context.hosts(), true);
          return volume(legs, members, below);
        });
  }

  /** Returns the generation in which hosts are served, empty when none are. */
  private static OptionalLong left(SpdkContext context, List<ReplicaLeg> legs)
      throws StorageException {
    LegRecord record = legs.get(0).record();
    Optional<TargetSubsystem> shown =
        context.loopback().subsystems().find(Identity.subsystem(record.owner().volume()));
    boolean serving =
        shown.isPresent()
            && shown.get().listeners().contains(context.hosts())
            && !record.opening().clean();
    return serving ? OptionalLong.of(record.opening().generation()) : OptionalLong.empty();
  }

  /** As {@link dev.holdfast.engine.export.LastingExportEngine#leftServing}. */
  public static OptionalLong left(SpdkContext context, ReplicaLocation location)
      throws StorageException {
    try (ReplicaLeg leg = context.replicas().open(location)) {
      return left(context, List.of(leg));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return OptionalLong.empty();
      }
      throw e;
    }
  }
}
