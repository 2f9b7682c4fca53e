package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Decides which replicas are current, from the register and the fenced replicas
 * (docs/REPLICATION.md, "Start"). Refuses if a missing replica could have later data.
 */
final class StartRule {
  /**
   * The decision.
   *
   * @param current replicas that stay members: the source of copies first, the witnesses last
   * @param previous the epoch of which they were members
   * @param reason text for users
   * @param salvaged whether an administrator declared them current, so that other replicas may have
   *     later data
   */
  record Start(List<Member> current, Epoch previous, String reason, boolean salvaged) {
    /** Returns the current replicas with data. */
    List<Member> data() {
      return current.stream().filter(member -> !member.witness()).toList();
    }
  }

  private final String volume;
  private final Membership registered;
  private final List<Member> fenced;
  private final Map<ReplicaLocation, StorageException> missing;
  private final Set<Member> failed;
  private final OpenOptions options;

  /**
   * Creates the rule from the collected state.
   *
   * @param volume name of the volume
   * @param registered the register's record before this opening
   * @param fenced replicas that admitted this engine
   * @param missing the other replicas, with the cause
   * @param failed fenced replicas that could not be made equal to the others; their state is used,
   *     but they are not current
   * @param options permissions of the administrator
   */
  StartRule(
      String volume,
      Membership registered,
      List<Member> fenced,
      Map<ReplicaLocation, StorageException> missing,
      Set<Member> failed,
      OpenOptions options) {
    this.volume = volume;
    this.registered = registered;
    this.fenced = List.copyOf(fenced);
    this.missing = Map.copyOf(missing);
    this.failed = Set.copyOf(failed);
    this.options = options;
  }

  Start decide() throws StorageException {
    checkRegisterIsNotOlder();
    Epoch latest = Epoch.of(registered);
    for (Member replica : fenced) {
      Epoch told = replica.history().epoch();
      latest = told.compareTo(latest) > 0 ? told : latest;
    }
    if (!options.salvage().isEmpty()) {
      return salvaged(latest);
    }
    return latest.initial() ? first(latest) : later(latest);
  }

  // If the store was restored to an earlier state, two engines could have the same generation.
  private void checkRegisterIsNotOlder() throws StorageException {
    for (Member replica : fenced) {
      if (replica.history().promise().generation() > registered.generation()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + volume
                + ": replica "
                + replica.name()
                + " admitted generation "
                + replica.history().promise().generation()
                + ", the store only "
                + registered.generation()
                + "; restore the store's latest state");
      }
    }
  }

  // No write has happened yet, so all empty replicas are equal, and so are all with the same
  // initial content. A replica that Longhorn wrote may only be the single one.
  private Start first(Epoch none) throws StorageException {
    if (missing.keySet().stream().anyMatch(location -> !location.witness())) {
      throw refusal("its first opening needs all replicas");
    }
    List<Member> data = data(fenced);
    for (Member replica : data) {
      if (data.size() > 1 && !replica.history().born()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + volume
                + ": replica "
                + replica.name()
                + " was not made by this engine; open the volume with this replica alone, so "
                + "that its content is the valid one");
      }
    }
    if (data.stream().map(Member::id).map(ReplicaIdentity::firstContentOf).distinct().count() > 1) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + volume
              + ": its replicas were made of different contents; delete those that are wrong");
    }
    return start(data, none, "first opening", false);
  }

  private Start later(Epoch latest) throws StorageException {
    checkMajority(Epoch.of(registered));
    checkMajority(latest);
    List<Member> members = new ArrayList<>();
    // Members that certainly lack no acknowledged change that another replica has.
    int asked = 0;
    for (Member replica : data(fenced)) {
      if (latest.members().contains(replica.id()) && trusted(replica, latest)) {
        boolean usable = !failed.contains(replica);
        asked += usable || !replica.intact() ? 1 : 0;
        if (usable) {
          members.add(replica);
        }
      }
    }
    if (members.isEmpty()) {
      throw refusal("none of its current replicas is reachable");
    }
    boolean noneIntact = members.stream().noneMatch(Member::intact);
    if (noneIntact && asked < latest.holders() && !options.flushedOnly()) {
      throw refusal(
          "after a loss of power all of its current replicas are needed; only "
              + asked
              + " of "
              + latest.holders()
              + " are reachable");
    }
    // A replica that lost unsynced writes differs from an intact one only in regions that it marked
    // itself, so the copying that follows repairs it.
    members.sort(Comparator.comparing(member -> !member.intact()));
    return start(members, latest, "opening", false);
  }

  // Where a majority could decide without the register, only a majority certainly knows the latest
  // epoch.
  private void checkMajority(Epoch epoch) throws StorageException {
    Set<String> seen =
        fenced.stream()
            .filter(replica -> !replica.history().tampered())
            .map(Member::id)
            .collect(Collectors.toSet());
    if (epoch.auto() && !epoch.majority(seen)) {
      seen.retainAll(epoch.members());
      throw refusal(
          "a majority of its "
              + epoch.members().size()
              + " members is needed, which could decide without the store; "
              + seen.size()
              + " are reachable");
    }
  }

  // The administrator's statement replaces missing information. Named replicas that were current
  // together stay members together; a rebuild updates a replica that is further behind.
  private Start salvaged(Epoch latest) throws StorageException {
    List<Member> named =
        data(fenced).stream()
            .filter(replica -> options.salvage().contains(replica.name()))
            .filter(replica -> !replica.incomplete() && !failed.contains(replica))
            .sorted(
                Comparator.comparing((Member replica) -> replica.history().epoch())
                    .reversed()
                    .thenComparing(replica -> !replica.intact()))
            .toList();
    if (named.isEmpty()) {
      throw refusal("none of the replicas to be salvaged, " + options.salvage() + ", is reachable");
    }
    Epoch most = named.get(0).history().epoch();
    List<Member> current = new ArrayList<>(named.subList(0, 1));
    for (Member replica : named.subList(1, named.size())) {
      boolean together =
          replica.history().epoch().equals(most)
              && most.members().contains(replica.id())
              && most.members().contains(named.get(0).id());
      if (together && !replica.history().tampered()) {
        current.add(replica);
      }
    }
    String names = current.stream().map(Member::name).collect(Collectors.joining(", "));
    return start(current, latest, "salvaged by an administrator: " + names, true);
  }

  // A witness holds only votes, so it can always join.
  private Start start(List<Member> data, Epoch previous, String reason, boolean salvaged)
      throws StorageException {
    checkBases(data);
    List<Member> current = new ArrayList<>(data);
    fenced.stream().filter(Member::witness).forEach(current::add);
    String without = failed.stream().map(Member::name).sorted().collect(Collectors.joining(", "));
    String all = without.isEmpty() ? reason : reason + ", left out: " + without;
    return new Start(List.copyOf(current), previous, all, salvaged);
  }

  // Reads include the base below the layers, and no member copies it to another.
  private void checkBases(List<Member> data) throws StorageException {
    Map<String, String> bases = new TreeMap<>();
    data.forEach(
        member -> bases.merge(standsOn(member), member.name(), (one, more) -> one + ", " + more));
    if (bases.size() > 1) {
      StringBuilder text =
          new StringBuilder("volume ")
              .append(volume)
              .append(": its replicas are based on different backing images: ");
      bases.forEach((base, names) -> text.append(names).append(" on ").append(base).append("; "));
      throw new StorageException(
          ErrorCode.INVALID, text.append("delete the replicas that are wrong").toString());
    }
  }

  private static String standsOn(Member member) {
    return member.base().isEmpty() ? "none" : member.base();
  }

  private static List<Member> data(List<Member> members) {
    return members.stream().filter(member -> !member.witness()).toList();
  }

  private static boolean trusted(Member replica, Epoch latest) {
    boolean alone = latest.members().size() == 1;
    return !replica.incomplete() && (alone || !replica.history().tampered());
  }

  private StorageException refusal(String why) {
    StringBuilder text =
        new StringBuilder("volume ").append(volume).append(" cannot be opened: ").append(why);
    missing.forEach((location, cause) -> text.append("; ").append(cause.getMessage()));
    fenced.forEach(
        replica -> text.append("; replica ").append(replica.name()).append(standing(replica)));
    return new StorageException(ErrorCode.UNREACHABLE, text.toString());
  }

  private static String standing(Member replica) {
    if (replica.incomplete()) {
      return " is an unfinished copy";
    }
    return replica.history().tampered()
        ? " was changed by another program since it was closed"
        : " is reachable, in epoch "
            + replica.history().epoch().generation()
            + "."
            + replica.history().epoch().number();
  }
}
