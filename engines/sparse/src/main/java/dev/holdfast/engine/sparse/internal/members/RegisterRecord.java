package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open volume's knowledge of its record in the register: the certain content, the possible
 * content after a lost reply, and the epoch in force. The members may have decided that epoch
 * without the register. Changes run one at a time and block. No lock is held during calls of the
 * register, so that the record can be read at that time. Content being written counts as possible
 * until the reply comes.
 */
public final class RegisterRecord {
  private static final Logger LOG = LoggerFactory.getLogger(RegisterRecord.class);

  private final String volume;
  private final MembershipRegister register;

  // Guarded by this.
  private Membership stored;
  private final List<Membership> inDoubt = new ArrayList<>();
  private final List<DecidedEpoch> unstored = new ArrayList<>();
  private Epoch inForce;
  private boolean asking;

  public RegisterRecord(String volume, MembershipRegister register, Membership stored) {
    this.volume = volume;
    this.register = register;
    this.stored = stored;
    this.inForce = Epoch.of(stored);
  }

  /**
   * The complete state, for an engine that continues in the same generation.
   *
   * @param stored content of the register at the last reply
   * @param inDoubt possible content after lost replies
   * @param unstored decisions that the register lacks
   * @param inForce the epoch in force
   */
  public record Knowledge(
      Membership stored, List<Membership> inDoubt, List<DecidedEpoch> unstored, Epoch inForce) {}

  /** Continues with the knowledge of another engine of the same generation. */
  public RegisterRecord(String volume, MembershipRegister register, Knowledge knowledge) {
    this(volume, register, knowledge.stored());
    inDoubt.addAll(knowledge.inDoubt());
    unstored.addAll(knowledge.unstored());
    inForce = knowledge.inForce();
  }

  /** Returns the complete state, for an engine that continues. */
  public synchronized Knowledge knowledge() {
    return new Knowledge(stored, List.copyOf(inDoubt), List.copyOf(unstored), inForce);
  }

  synchronized Epoch inForce() {
    return inForce;
  }

  /** Returns the content of the register at the last reply. */
  public synchronized Membership stored() {
    return stored;
  }

  public synchronized long generation() {
    return stored.generation();
  }

  /** Returns the members of every epoch that an opening may find. */
  synchronized List<String> known() {
    List<String> known = new ArrayList<>(inForce.members());
    known.addAll(stored.members());
    return known;
  }

  synchronized String pendingOperation() {
    return stored.pendingOperation();
  }

  /**
   * Decides an epoch that is durable on all its members: by the register, or, when it is
   * unreachable, by the members alone if they may.
   *
   * @return false when it is not decided; a later attempt needs a higher number
   * @throws StorageException FORBIDDEN when a later engine took over
   */
  boolean decide(Epoch next, String reason) throws StorageException {
    begin();
    try {
      return put(record -> next.in(record, reason), Optional.of(next)) || alone(next, reason);
    } finally {
      end();
    }
  }

  private synchronized boolean alone(Epoch next, String reason) {
    boolean alone = next.foundFrom(Epoch.of(stored));
    for (Membership attempt : inDoubt) {
      alone &= next.foundFrom(Epoch.of(attempt));
    }
    if (alone) {
      LOG.warn("volume {}: a majority of the members decides without the register", volume);
      inForce = next;
      unstored.add(new DecidedEpoch(next.generation(), next.number(), next.members(), reason));
    }
    return alone;
  }

  /** Returns whether the register lacks a decision that the members made. */
  synchronized boolean behind() {
    return Epoch.of(stored).compareTo(inForce) != 0;
  }

  /**
   * Tries once to change the record beside the epoch; the epoch in force is recorded too.
   *
   * @return false when the register was unreachable
   * @throws StorageException FORBIDDEN when a later engine took over
   */
  public boolean change(UnaryOperator<Membership> change) throws StorageException {
    begin();
    try {
      return put(change, Optional.empty());
    } finally {
      end();
    }
  }

  /** Waits until another thread's change has ended. */
  private synchronized void begin() {
    Uninterruptibly.awaitWhile(this, () -> asking);
    asking = true;
  }

  private synchronized void end() {
    asking = false;
    notifyAll();
  }

  /**
   * Only the thread that changes the record calls this, so {@code stored} stays the same until the
   * reply.
   */
  private boolean put(UnaryOperator<Membership> change, Optional<Epoch> decided)
      throws StorageException {
    try {
      while (true) {
        Membership expected = stored();
        Membership wanted = attempt(change);
        boolean done = register.compareAndSet(expected, wanted);
        if (!done) {
          refused();
        }
        Membership found = done ? wanted : register.read();
        if (found.generation() != expected.generation()) {
          throw superseded(found);
        }
        if (found(found, wanted, decided)) {
          return true;
        }
      }
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        throw e;
      }
      LOG.warn("volume {}: could not reach the register: {}", volume, e.getMessage());
      return false;
    }
  }

  private synchronized Membership attempt(UnaryOperator<Membership> change) {
    Membership wanted = change.apply(withUnstored());
    inDoubt.add(wanted);
    return wanted;
  }

  /** The register replied that the last attempt had no effect. */
  private synchronized void refused() {
    inDoubt.remove(inDoubt.size() - 1);
  }

  /** Returns whether the register contains the wanted record. */
  private synchronized boolean found(Membership found, Membership wanted, Optional<Epoch> decided) {
    boolean known = found.equals(wanted);
    stored = found;
    inDoubt.clear();
    if (known) {
      unstored.clear();
      decided.ifPresent(epoch -> inForce = epoch);
      return true;
    }
    // An earlier attempt with an unknown outcome took effect. Continue from the found record.
    Epoch latest = Epoch.of(found);
    unstored.removeIf(epoch -> of(epoch).compareTo(latest) <= 0);
    return false;
  }

  private static Epoch of(DecidedEpoch epoch) {
    return new Epoch(epoch.generation(), epoch.number(), epoch.members());
  }

  private Membership withUnstored() {
    Membership record = stored;
    for (DecidedEpoch epoch : unstored) {
      record = of(epoch).in(record, epoch.reason());
    }
    return unstored.isEmpty() ? record : withEpoch(record);
  }

  private Membership withEpoch(Membership record) {
    return new Membership(
        record.generation(),
        record.owner(),
        inForce.generation(),
        inForce.number(),
        inForce.members(),
        record.sizeBytes(),
        record.pendingOperation(),
        record.history());
  }

  private StorageException superseded(Membership found) {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "volume " + volume + " was taken over by the engine on node " + found.owner());
  }
}
