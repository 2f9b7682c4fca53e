package dev.holdfast.frontend.nvmeof.internal.reserve;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeErrors;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.reservation.ReservationException;
import dev.holdfast.reservation.ReservationText;
import dev.holdfast.reservation.Reservations;
import java.util.Optional;
import java.util.UUID;

/** A volume's reservations as seen by one host. Thread-safe. */
public final class HostReservations {
  private final ExportState state;
  private final String nexus;
  private volatile Known known = new Known(Optional.empty(), Reservations.NONE);

  private record Known(Optional<String> text, Reservations value) {}

  /** Computes the next reservations from the present ones. */
  @FunctionalInterface
  public interface Change {
    Reservations of(Reservations present) throws ReservationException, RefusedException;
  }

  public HostReservations(ExportState state, UUID host) {
    this.state = state;
    this.nexus = host.toString();
  }

  /** Returns the name of this host in reservations. */
  String nexus() {
    return nexus;
  }

  public Reservations present() {
    return load().value();
  }

  @SuppressWarnings("ReferenceEquality") // The same text need not be parsed again.
  private Known load() {
    Known last = known;
    Optional<String> text = state.text(ExportState.RESERVATIONS);
    if (text.isPresent() == last.text().isPresent()
        && (text.isEmpty() || text.get() == last.text().get())) {
      return last;
    }
    Known next = new Known(text, text.map(ReservationText::read).orElse(Reservations.NONE));
    known = next;
    return next;
  }

  public boolean mayRead() {
    return present().mayRead(nexus);
  }

  public boolean mayWrite() {
    return present().mayWrite(nexus);
  }

  /** Changes the reservations; durably if they are or were to persist through power loss. */
  public void change(Change change) throws RefusedException {
    try {
      while (true) {
        Known last = load();
        Reservations next = change.of(last.value());
        if (next.equals(last.value())
            || state.replace(
                ExportState.RESERVATIONS,
                last.text(),
                Optional.of(ReservationText.write(next)),
                next.durable())) {
          return;
        }
      }
    } catch (ReservationException e) {
      int status =
          switch (e.reason()) {
            case CONFLICT -> Status.RESERVATION_CONFLICT;
            case WRONG_TYPE, INVALID_KEY -> Status.INVALID_FIELD;
          };
      throw new RefusedException(status, e.getMessage());
    } catch (StorageException e) {
      throw new RefusedException(NvmeErrors.error(e.code()), e.getMessage());
    }
  }
}
