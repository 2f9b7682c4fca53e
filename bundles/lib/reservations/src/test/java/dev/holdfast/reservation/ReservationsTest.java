package dev.holdfast.reservation;

import static dev.holdfast.reservation.ReservationType.EXCLUSIVE_ACCESS;
import static dev.holdfast.reservation.ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS;
import static dev.holdfast.reservation.ReservationType.WRITE_EXCLUSIVE;
import static dev.holdfast.reservation.ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.reservation.ReservationException.Reason;
import dev.holdfast.reservation.ReservationNotice.Kind;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ReservationsTest {
  private static final String A = "iqn.a,i,0x01";
  private static final String B = "iqn.b,i,0x01";
  private static final String C = "iqn.c,i,0x01";

  @Test
  void registersChangesAndUnregisters() throws Exception {
    Reservations one = Reservations.NONE.register(A, 0, 7, true);
    assertThat(one.keyOf(A)).hasValue(7L);
    assertThat(one.durable()).isTrue();
    assertThat(one.generation()).isEqualTo(1);
    Reservations changed = one.register(A, 7, 8, true);
    assertThat(changed.keyOf(A)).hasValue(8L);
    assertThat(changed.register(A, 8, 0, true).registrations()).isEmpty();
    refused(Reason.CONFLICT, () -> changed.register(A, 7, 9, true));
    refused(Reason.CONFLICT, () -> changed.register(B, 8, 9, true));
  }

  @ParameterizedTest
  @EnumSource(ReservationType.class)
  void typesDecideAccess(ReservationType type) throws Exception {
    Reservations held = registered().reserve(A, 1, type);
    assertThat(held.mayRead(A)).isTrue();
    assertThat(held.mayWrite(A)).isTrue();
    assertThat(held.mayWrite(B)).isEqualTo(type.forRegistrants());
    assertThat(held.mayRead(B)).isEqualTo(type.forRegistrants() || !type.readsExcluded());
    assertThat(held.mayWrite(C)).isFalse();
    assertThat(held.mayRead(C)).isEqualTo(!type.readsExcluded());
    assertThat(held.holds(B)).isEqualTo(type.allHold());
  }

  @Test
  void reservingAgainSucceedsAndOtherwiseConflicts() throws Exception {
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE);
    assertThat(held.reserve(A, 1, WRITE_EXCLUSIVE)).isEqualTo(held);
    refused(Reason.CONFLICT, () -> held.reserve(A, 1, EXCLUSIVE_ACCESS));
    refused(Reason.CONFLICT, () -> held.reserve(B, 2, WRITE_EXCLUSIVE));
    refused(Reason.CONFLICT, () -> held.reserve(C, 3, WRITE_EXCLUSIVE));
  }

  @Test
  void releaseNotifiesOtherRegistrants() throws Exception {
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE_REGISTRANTS_ONLY);
    refused(Reason.WRONG_TYPE, () -> held.release(A, 1, WRITE_EXCLUSIVE));
    assertThat(held.release(B, 2, WRITE_EXCLUSIVE)).isEqualTo(held);
    Reservations free = held.release(A, 1, WRITE_EXCLUSIVE_REGISTRANTS_ONLY);
    assertThat(free.holding()).isEmpty();
    assertThat(free.noticesFor(B, 0))
        .containsExactly(new ReservationNotice(1, B, Kind.RESERVATION_RELEASED));
    assertThat(free.noticesFor(B, 1)).isEmpty();
    assertThat(free.noticesFor(A, 0)).isEmpty();
  }

  @Test
  void holderThatUnregistersReleases() throws Exception {
    Reservations held = registered().reserve(A, 1, EXCLUSIVE_ACCESS);
    assertThat(held.register(A, 1, 0, false).holding()).isEmpty();
    Reservations shared = registered().reserve(A, 1, EXCLUSIVE_ACCESS_ALL_REGISTRANTS);
    Reservations left = shared.register(A, 1, 0, false);
    assertThat(left.holds(B)).isTrue();
    assertThat(left.register(B, 2, 0, false).holding()).isEmpty();
  }

  @Test
  void preemptingTheHolderTakesOver() throws Exception {
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE);
    Reservations taken = held.preempt(B, 2, 1, EXCLUSIVE_ACCESS);
    assertThat(taken.holding()).hasValue(new Holding(EXCLUSIVE_ACCESS, B));
    assertThat(taken.keyOf(A)).isEmpty();
    assertThat(taken.noticesFor(A, 0))
        .extracting(ReservationNotice::kind)
        .containsExactly(Kind.REGISTRATION_PREEMPTED);
    refused(Reason.CONFLICT, () -> held.preempt(B, 2, 99, WRITE_EXCLUSIVE));
    refused(Reason.INVALID_KEY, () -> held.preempt(B, 2, 0, WRITE_EXCLUSIVE));
  }

  @Test
  void preemptingAnotherKeepsTheReservation() throws Exception {
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE);
    Reservations next = held.preempt(A, 1, 2, EXCLUSIVE_ACCESS);
    assertThat(next.holding()).isEqualTo(Optional.of(new Holding(WRITE_EXCLUSIVE, A)));
    assertThat(next.keyOf(B)).isEmpty();
  }

  @Test
  void preemptingAllOthersTakesOverFromAllRegistrants() throws Exception {
    Reservations held = registered().reserve(A, 1, EXCLUSIVE_ACCESS_ALL_REGISTRANTS);
    Reservations taken = held.preempt(B, 2, 0, WRITE_EXCLUSIVE);
    assertThat(taken.registrations()).containsExactly(new Registration(B, 2));
    assertThat(taken.holding()).hasValue(new Holding(WRITE_EXCLUSIVE, B));
  }

  @Test
  void clearRemovesAllRegistrants() throws Exception {
    Reservations cleared = registered().reserve(A, 1, WRITE_EXCLUSIVE).clear(B, 2);
    assertThat(cleared.registrations()).isEmpty();
    assertThat(cleared.holding()).isEmpty();
    assertThat(cleared.noticesFor(A, 0))
        .extracting(ReservationNotice::kind)
        .containsExactly(Kind.RESERVATION_PREEMPTED);
  }

  @Test
  void holderHandsTheReservationOver() throws Exception {
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE);
    Reservations moved = held.registerAndMove(A, 1, new ReservationMove(C, 3, false, true));
    assertThat(moved.holding()).hasValue(new Holding(WRITE_EXCLUSIVE, C));
    assertThat(moved.keyOf(A)).hasValue(1L);
    assertThat(moved.keyOf(C)).hasValue(3L);
    assertThat(moved.durable()).isTrue();
    assertThat(moved.generation()).isEqualTo(held.generation() + 1);
    Reservations left = held.registerAndMove(A, 1, new ReservationMove(B, 4, true, false));
    assertThat(left.registrations()).containsExactly(new Registration(B, 4));
    assertThat(left.mayWrite(A)).isFalse();
  }

  @Test
  void onlyASingleHolderHandsOverAndToAnother() throws Exception {
    ReservationMove toC = new ReservationMove(C, 3, false, false);
    refused(Reason.CONFLICT, () -> registered().registerAndMove(A, 1, toC));
    Reservations held = registered().reserve(A, 1, WRITE_EXCLUSIVE);
    refused(Reason.CONFLICT, () -> held.registerAndMove(A, 9, toC));
    refused(Reason.CONFLICT, () -> held.registerAndMove(B, 2, toC));
    Reservations ofAll = registered().reserve(A, 1, EXCLUSIVE_ACCESS_ALL_REGISTRANTS);
    refused(Reason.CONFLICT, () -> ofAll.registerAndMove(A, 1, toC));
    ReservationMove toItself = new ReservationMove(A, 3, false, false);
    refused(Reason.INVALID_KEY, () -> held.registerAndMove(A, 1, toItself));
    ReservationMove withoutKey = new ReservationMove(C, 0, false, false);
    refused(Reason.INVALID_KEY, () -> held.registerAndMove(A, 1, withoutKey));
  }

  @Test
  void textKeepsEverything() throws Exception {
    Reservations value =
        registered()
            .register(C, 0, -1, true)
            .reserve(A, 1, WRITE_EXCLUSIVE)
            .preempt(B, 2, 1, EXCLUSIVE_ACCESS);
    assertThat(ReservationText.read(ReservationText.write(value))).isEqualTo(value);
    assertThat(ReservationText.read(ReservationText.write(Reservations.NONE)))
        .isEqualTo(Reservations.NONE);
    assertThatThrownBy(() -> ReservationText.read("something else"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Reservations registered() throws ReservationException {
    return Reservations.NONE.register(A, 0, 1, false).register(B, 0, 2, false);
  }

  private static void refused(Reason reason, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            ReservationException.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }
}
