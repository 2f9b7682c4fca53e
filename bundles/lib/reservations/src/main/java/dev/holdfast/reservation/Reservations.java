package dev.holdfast.reservation;

import dev.holdfast.reservation.ReservationException.Reason;
import dev.holdfast.reservation.ReservationNotice.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Registrants of a volume and the holder of its reservation. Immutable: each request returns the
 * next value or throws.
 *
 * <pre>
 *   none --register--> registered --reserve, preempt--> held --release, clear, preempt--> ...
 * </pre>
 *
 * @param generation number of changes of registrations (PRGENERATION, GEN)
 * @param durable whether the state must survive a loss of power (APTPL, PTPL)
 * @param registrations registrants in the order of their registration, not null; copied
 * @param holding the reservation, not null
 * @param lastNotice number of the latest notice, 0 before the first
 * @param notices the latest notices, oldest first, not null; copied
 */
public record Reservations(
    long generation,
    boolean durable,
    List<Registration> registrations,
    Optional<Holding> holding,
    long lastNotice,
    List<ReservationNotice> notices) {
  /** No registrants. */
  public static final Reservations NONE =
      new Reservations(0, false, List.of(), Optional.empty(), 0, List.of());

  private static final int NOTICES_KEPT = 256;

  /** Copies the lists. */
  public Reservations {
    registrations = List.copyOf(registrations);
    Objects.requireNonNull(holding, "holding");
    notices = List.copyOf(notices);
  }

  /** Returns the key of a registrant, or empty for other participants. */
  public Optional<Long> keyOf(String nexus) {
    return registrations.stream()
        .filter(registration -> registration.nexus().equals(nexus))
        .map(Registration::key)
        .findFirst();
  }

  /** Returns whether the nexus is a holder of the reservation. */
  public boolean holds(String nexus) {
    return holding
        .filter(
            held -> held.type().allHold() ? keyOf(nexus).isPresent() : held.nexus().equals(nexus))
        .isPresent();
  }

  /** Returns whether the nexus may read. */
  public boolean mayRead(String nexus) {
    return holding.isEmpty() || !holding.get().type().readsExcluded() || hasAccess(nexus);
  }

  /** Returns whether the nexus may write. */
  public boolean mayWrite(String nexus) {
    return holding.isEmpty() || hasAccess(nexus);
  }

  private boolean hasAccess(String nexus) {
    return holds(nexus)
        || (holding.orElseThrow().type().forRegistrants() && keyOf(nexus).isPresent());
  }

  /** Returns the notices that the nexus has not received yet, oldest first. */
  public List<ReservationNotice> noticesFor(String nexus, long after) {
    return notices.stream()
        .filter(notice -> notice.number() > after && notice.nexus().equals(nexus))
        .toList();
  }

  /**
   * Registers, changes the key, or unregisters.
   *
   * @param nexus identifier of the requester, not null
   * @param key its present key; 0 if it is not registered
   * @param next its new key; 0 to unregister
   * @param survives whether the state must survive a loss of power from then on
   * @throws ReservationException CONFLICT when the present key differs
   */
  public Reservations register(String nexus, long key, long next, boolean survives)
      throws ReservationException {
    if (keyOf(nexus).orElse(0L) != key) {
      throw conflict("the key of " + nexus + " is another");
    }
    return registerIgnoring(nexus, next, survives);
  }

  /** Works like {@link #register} for any present key. */
  public Reservations registerIgnoring(String nexus, long next, boolean survives) {
    Draft draft = new Draft(this);
    boolean known = keyOf(nexus).isPresent();
    if (next == 0 && !known) {
      return this;
    }
    draft.durable = survives;
    draft.generation++;
    if (next == 0) {
      draft.leave(nexus);
    } else {
      draft.enter(nexus, next);
    }
    return draft.done();
  }

  /**
   * Registers another participant with a key and hands the reservation over to it.
   *
   * @param nexus identifier of the requester, not null
   * @param key key of the requester
   * @param move the next holder, its key, and whether the requester is unregistered; not null
   * @throws ReservationException CONFLICT when the key is wrong, the nexus does not hold the
   *     reservation, or all registrants hold it; INVALID_KEY when the destination's key is 0 or the
   *     destination is the nexus itself
   * @since 1.2
   */
  public Reservations registerAndMove(String nexus, long key, ReservationMove move)
      throws ReservationException {
    requireKey(nexus, key);
    if (!holds(nexus) || holding.orElseThrow().type().allHold()) {
      throw conflict(nexus + " does not hold the reservation alone");
    }
    if (move.key() == 0 || move.destination().equals(nexus)) {
      throw new ReservationException(
          Reason.INVALID_KEY, "a reservation moves to another, who has a key");
    }
    Draft draft = new Draft(this);
    draft.generation++;
    draft.durable = move.survives();
    draft.enter(move.destination(), move.key());
    draft.holding = Optional.of(new Holding(holding.get().type(), move.destination()));
    if (move.unregisters()) {
      draft.leave(nexus);
    }
    return draft.done();
  }

  /**
   * Reserves. Succeeds without effect if the nexus already holds the same reservation.
   *
   * @throws ReservationException CONFLICT when the key is wrong or another reservation is held
   */
  public Reservations reserve(String nexus, long key, ReservationType type)
      throws ReservationException {
    requireKey(nexus, key);
    if (holding.isPresent()) {
      if (holds(nexus) && holding.get().type() == type) {
        return this;
      }
      throw conflict("it is reserved already");
    }
    Draft draft = new Draft(this);
    draft.holding = Optional.of(new Holding(type, nexus));
    return draft.done();
  }

  /**
   * Releases the reservation of the nexus. Succeeds without effect if the nexus does not hold it.
   *
   * @throws ReservationException CONFLICT when the key is wrong, WRONG_TYPE
   */
  public Reservations release(String nexus, long key, ReservationType type)
      throws ReservationException {
    requireKey(nexus, key);
    if (!holds(nexus)) {
      return this;
    }
    if (holding.orElseThrow().type() != type) {
      throw new ReservationException(Reason.WRONG_TYPE, "the reservation is of another type");
    }
    Draft draft = new Draft(this);
    draft.release(nexus);
    return draft.done();
  }

  /**
   * Removes the reservation and all registrations.
   *
   * @throws ReservationException CONFLICT when the key is wrong
   */
  public Reservations clear(String nexus, long key) throws ReservationException {
    requireKey(nexus, key);
    Draft draft = new Draft(this);
    draft.generation++;
    draft.tellOthers(nexus, Kind.RESERVATION_PREEMPTED);
    draft.registrations.clear();
    draft.holding = Optional.empty();
    return draft.done();
  }

  /**
   * Removes registrations of other participants, and takes over the reservation if they held it.
   *
   * @param nexus identifier of the requester, not null
   * @param key key of the requester
   * @param victims key of the registrations to remove; 0 for all others if all registrants hold the
   *     reservation
   * @param type new type of the reservation, if it is taken over; not null
   * @throws ReservationException CONFLICT when a key is wrong, INVALID_KEY when the victims' key
   *     must not be 0
   */
  public Reservations preempt(String nexus, long key, long victims, ReservationType type)
      throws ReservationException {
    requireKey(nexus, key);
    boolean allHold = holding.filter(held -> held.type().allHold()).isPresent();
    if (victims == 0 && !allHold) {
      throw new ReservationException(Reason.INVALID_KEY, "only a reservation of all has no key");
    }
    boolean takesOver = victims == 0 || (!allHold && victims == holdersKey());
    if (!takesOver && registrations.stream().noneMatch(present -> present.key() == victims)) {
      throw conflict("no participant is registered with the key to be preempted");
    }
    Draft draft = new Draft(this);
    draft.generation++;
    draft.remove(
        present ->
            (victims == 0 || present.key() == victims)
                && !(takesOver && present.nexus().equals(nexus)),
        nexus);
    if (takesOver) {
      if (holding.filter(held -> held.type() != type).isPresent()) {
        draft.tellOthers(nexus, Kind.RESERVATION_RELEASED);
      }
      draft.holding = Optional.of(new Holding(type, nexus));
    }
    return draft.done();
  }

  private long holdersKey() {
    return holding.flatMap(held -> keyOf(held.nexus())).orElse(0L);
  }

  private void requireKey(String nexus, long key) throws ReservationException {
    if (key == 0 || keyOf(nexus).orElse(0L) != key) {
      throw conflict(nexus + " is not registered with this key");
    }
  }

  private static ReservationException conflict(String message) {
    return new ReservationException(Reason.CONFLICT, message);
  }

  /** Mutable copy for the calculation of the next value. */
  private static final class Draft {
    private final List<Registration> registrations;
    private final List<ReservationNotice> notices;
    private long generation;
    private boolean durable;
    private Optional<Holding> holding;
    private long lastNotice;

    Draft(Reservations from) {
      registrations = new ArrayList<>(from.registrations);
      notices = new ArrayList<>(from.notices);
      generation = from.generation;
      durable = from.durable;
      holding = from.holding;
      lastNotice = from.lastNotice;
    }

    void enter(String nexus, long key) {
      Registration entered = new Registration(nexus, key);
      if (registrations.stream().anyMatch(present -> present.nexus().equals(nexus))) {
        registrations.replaceAll(present -> present.nexus().equals(nexus) ? entered : present);
      } else {
        registrations.add(entered);
      }
    }

    void leave(String nexus) {
      registrations.removeIf(present -> present.nexus().equals(nexus));
      boolean last = registrations.isEmpty();
      holding.ifPresent(
          held -> {
            if (held.type().allHold()) {
              // Another registrant becomes the recorded holder.
              holding =
                  last
                      ? Optional.empty()
                      : Optional.of(new Holding(held.type(), registrations.get(0).nexus()));
            } else if (held.nexus().equals(nexus)) {
              release(nexus);
            }
          });
    }

    void release(String nexus) {
      if (holding.orElseThrow().type().forRegistrants()) {
        tellOthers(nexus, Kind.RESERVATION_RELEASED);
      }
      holding = Optional.empty();
    }

    void remove(Predicate<Registration> victims, String by) {
      for (Registration present : List.copyOf(registrations)) {
        if (victims.test(present)) {
          registrations.remove(present);
          if (!present.nexus().equals(by)) {
            tell(present.nexus(), Kind.REGISTRATION_PREEMPTED);
          }
        }
      }
      if (registrations.isEmpty()) {
        holding = Optional.empty();
      }
    }

    void tellOthers(String nexus, Kind kind) {
      for (Registration present : registrations) {
        if (!present.nexus().equals(nexus)) {
          tell(present.nexus(), kind);
        }
      }
    }

    private void tell(String nexus, Kind kind) {
      notices.add(new ReservationNotice(++lastNotice, nexus, kind));
      if (notices.size() > NOTICES_KEPT) {
        notices.remove(0);
      }
    }

    Reservations done() {
      return new Reservations(generation, durable, registrations, holding, lastNotice, notices);
    }
  }
}
