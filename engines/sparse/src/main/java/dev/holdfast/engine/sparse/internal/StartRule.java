package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.Membership;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Decides, from what the register and the replicas that could be fenced say, who is current
 * (docs/REPLICATION.md, "Start"). Refuses when what is missing might know better.
 */
final class StartRule {
  /**
   * The decision.
   *
   * @param current replicas that go on, the one to copy from first
   * @param previous the epoch that they were members of
   */
  record Start(List<Member> current, Epoch previous) {}

  private final String volume;
  private final Membership registered;
  private final List<Member> fenced;
  private final Map<String, StorageException> missing;

  /**
   * Takes the evidence.
   *
   * @param volume its name
   * @param registered the register's record before this opening
   * @param fenced replicas that let this engine in
   * @param missing the others, by name, with the reason
   */
  StartRule(
      String volume,
      Membership registered,
      List<Member> fenced,
      Map<String, StorageException> missing) {
    this.volume = volume;
    this.registered = registered;
    this.fenced = List.copyOf(fenced);
    this.missing = Map.copyOf(missing);
  }

  Start decide() throws StorageException {
    checkRegisterIsNotOlder();
    Epoch latest = Epoch.of(registered);
    for (Member replica : fenced) {
      Epoch told = replica.history().epoch();
      latest = told.compareTo(latest) > 0 ? told : latest;
    }
    return latest.initial() ? first(latest) : later(latest);
  }

  // A store that was put back to an earlier state would let two engines have the same generation.
  private void checkRegisterIsNotOlder() throws StorageException {
    for (Member replica : fenced) {
      if (replica.history().promise().generation() > registered.generation()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + volume
                + ": replica "
                + replica.name()
                + " has seen generation "
                + replica.history().promise().generation()
                + ", the store only "
                + registered.generation()
                + "; restore the store's latest state");
      }
    }
  }

  // Nothing was ever written, so all that are empty are equal; one that Longhorn left is so alone.
  private Start first(Epoch none) throws StorageException {
    if (!missing.isEmpty()) {
      throw refusal("its first opening needs all replicas", "");
    }
    for (Member replica : fenced) {
      if (fenced.size() > 1 && !replica.history().born()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + volume
                + ": replica "
                + replica.name()
                + " was not made by this engine; open it alone, so that it is clear whose bytes count");
      }
    }
    return new Start(fenced, none);
  }

  private Start later(Epoch latest) throws StorageException {
    List<Member> members = new ArrayList<>();
    for (Member replica : fenced) {
      if (latest.members().contains(replica.id()) && trusted(replica, latest)) {
        members.add(replica);
      }
    }
    if (members.isEmpty()) {
      throw refusal("none of its current replicas can be seen", "");
    }
    List<Member> current = new ArrayList<>(members);
    current.removeIf(replica -> !replica.intact());
    if (current.isEmpty() && members.size() < latest.members().size()) {
      throw refusal(
          "after a loss of power all of its current replicas are needed",
          "; only " + members.size() + " of " + latest.members().size() + " can be seen");
    }
    // One that lost unsynced writes differs from an intact one in regions that it has marked
    // itself, so the copying that follows makes it whole.
    members.stream().filter(replica -> !current.contains(replica)).forEach(current::add);
    return new Start(current, latest);
  }

  private static boolean trusted(Member replica, Epoch latest) {
    boolean alone = latest.members().size() == 1;
    return !replica.incomplete() && (alone || !replica.history().tampered());
  }

  private StorageException refusal(String why, String more) {
    StringBuilder text =
        new StringBuilder("volume ").append(volume).append(" cannot be opened: ").append(why);
    text.append(more);
    missing.forEach((name, cause) -> text.append("; ").append(cause.getMessage()));
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
        : " can be seen, in epoch "
            + replica.history().epoch().generation()
            + "."
            + replica.history().epoch().number();
  }
}
