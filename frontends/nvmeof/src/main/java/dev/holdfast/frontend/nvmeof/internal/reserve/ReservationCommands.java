package dev.holdfast.frontend.nvmeof.internal.reserve;

import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.IoCommand;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.reservation.Registration;
import dev.holdfast.reservation.ReservationException;
import dev.holdfast.reservation.ReservationType;
import dev.holdfast.reservation.Reservations;
import dev.holdfast.reservation.WriteGate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Reservation Register, Acquire, Release and Report (NVM Express Base 2.0, 7.2 to 7.5). */
public final class ReservationCommands {
  private static final int IGNORE_KEY = 1 << 3;
  private static final int KEEP_PERSISTENCE = 0;
  private static final int VOLATILE = 2;
  private static final int PERSISTENT = 3;
  private static final int HEADER = 64;
  private static final int REGISTRANT = 64;
  private static final int NO_STATIC_CONTROLLER = 0xffff;

  /** Indexed by number, from 1. */
  private static final List<ReservationType> TYPES = List.of(ReservationType.values());

  private final HostReservations reservations;

  public ReservationCommands(HostReservations reservations) {
    this.reservations = reservations;
  }

  /**
   * Executes Register, Acquire or Release. If other hosts were fenced, their last requests have
   * left the device at the return.
   */
  public void change(Command command, CommandData data, WriteGate writes) throws RefusedException {
    switch (command.opcode()) {
      case IoCommand.RESERVATION_REGISTER -> register(command, data);
      case IoCommand.RESERVATION_ACQUIRE -> {
        acquire(command, data);
        if ((command.cdw10() & 7) != 0) {
          writes.enterAlone();
          writes.leaveAlone();
        }
      }
      default -> release(command, data);
    }
  }

  private void register(Command command, CommandData data) throws RefusedException {
    requireBytes(data, 16);
    long key = number(data, 0);
    long next = number(data, 8);
    int action = command.cdw10() & 7;
    boolean ignore = (command.cdw10() & IGNORE_KEY) != 0;
    int persistence = command.cdw10() >>> 30;
    if (action > 2 || (persistence != KEEP_PERSISTENCE && persistence < VOLATILE)) {
      throw wrong("the action or the persistence is not known");
    }
    if (action != 1 && next == 0) {
      throw wrong("a key is not 0");
    }
    String nexus = reservations.nexus();
    reservations.change(
        present -> {
          boolean durable =
              persistence == KEEP_PERSISTENCE ? present.durable() : persistence == PERSISTENT;
          boolean registered = present.keyOf(nexus).isPresent();
          return switch (action) {
            case 0 -> registerNew(present, next, ignore, durable);
            case 1 -> {
              requireRegistered(registered);
              yield ignore
                  ? present.registerIgnoring(nexus, 0, durable)
                  : present.register(nexus, key, 0, durable);
            }
            default -> {
              requireRegistered(registered || ignore);
              yield ignore
                  ? present.registerIgnoring(nexus, next, durable)
                  : present.register(nexus, key, next, durable);
            }
          };
        });
  }

  private Reservations registerNew(Reservations present, long next, boolean ignore, boolean durable)
      throws ReservationException, RefusedException {
    String nexus = reservations.nexus();
    boolean another = present.keyOf(nexus).filter(key -> key != next).isPresent();
    if (another && !ignore) {
      throw conflict("the host is registered with another key");
    }
    return present.registerIgnoring(nexus, next, durable);
  }

  private static void requireRegistered(boolean registered) throws RefusedException {
    if (!registered) {
      throw conflict("the host is not registered");
    }
  }

  private void acquire(Command command, CommandData data) throws RefusedException {
    requireBytes(data, 16);
    refuseIgnoredKey(command);
    long key = number(data, 0);
    long victims = number(data, 8);
    ReservationType type = type(command);
    String nexus = reservations.nexus();
    int action = command.cdw10() & 7;
    switch (action) {
      case 0 -> reservations.change(present -> present.reserve(nexus, key, type));
      case 1, 2 -> reservations.change(present -> present.preempt(nexus, key, victims, type));
      default -> throw wrong("the action is not known");
    }
  }

  private void release(Command command, CommandData data) throws RefusedException {
    requireBytes(data, 8);
    refuseIgnoredKey(command);
    long key = number(data, 0);
    String nexus = reservations.nexus();
    switch (command.cdw10() & 7) {
      case 0 -> {
        ReservationType type = type(command);
        reservations.change(present -> present.release(nexus, key, type));
      }
      case 1 -> reservations.change(present -> present.clear(nexus, key));
      default -> throw wrong("the action is not known");
    }
  }

  /** Returns the reservation status with 128-bit host identifiers, in the requested length. */
  public byte[] report(Command command) throws RefusedException {
    if ((command.cdw11() & 1) == 0) {
      throw new RefusedException(Status.INVALID_FIELD, "host identifiers have 128 bits here");
    }
    Reservations present = reservations.present();
    List<Registration> registrations = present.registrations();
    ByteBuffer page = ByteBuffer.allocate(HEADER + REGISTRANT * registrations.size());
    Le.put32(page, 0, present.generation());
    Le.put8(page, 4, present.holding().map(held -> TYPES.indexOf(held.type()) + 1).orElse(0));
    Le.put16(page, 5, registrations.size());
    Le.put8(page, 9, present.durable() ? 1 : 0);
    for (int i = 0; i < registrations.size(); i++) {
      put(page, HEADER + REGISTRANT * i, registrations.get(i), present);
    }
    long wanted = ((command.cdw10() & 0xffffffffL) + 1) * Integer.BYTES;
    return Arrays.copyOf(page.array(), (int) Math.min(wanted, command.data().length()));
  }

  private static void put(ByteBuffer page, int at, Registration one, Reservations present) {
    Le.put16(page, at, NO_STATIC_CONTROLLER);
    Le.put8(page, at + 2, present.holds(one.nexus()) ? 1 : 0);
    Le.put64(page, at + 8, one.key());
    UUID host = host(one.nexus());
    page.putLong(at + 16, host.getMostSignificantBits());
    page.putLong(at + 24, host.getLeastSignificantBits());
  }

  /**
   * A volume may have been exported by another protocol, whose hosts have names of another form.
   */
  private static UUID host(String nexus) {
    try {
      return UUID.fromString(nexus);
    } catch (IllegalArgumentException e) {
      return UUID.nameUUIDFromBytes(nexus.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static ReservationType type(Command command) throws RefusedException {
    int number = command.cdw10() >> 8 & 0xff;
    if (number < 1 || number > TYPES.size()) {
      throw wrong("no reservation of type " + number);
    }
    return TYPES.get(number - 1);
  }

  private static void refuseIgnoredKey(Command command) throws RefusedException {
    if ((command.cdw10() & IGNORE_KEY) != 0) {
      throw wrong("keys are not ignored since version 1.3");
    }
  }

  private static void requireBytes(CommandData data, int bytes) throws RefusedException {
    if (data.length() < bytes) {
      throw new RefusedException(Status.DATA_LENGTH_INVALID, "the keys are missing");
    }
  }

  private static long number(CommandData data, int at) {
    return Le.i64(data.buffer(), data.at() + at);
  }

  private static RefusedException wrong(String message) {
    return new RefusedException(Status.INVALID_FIELD, message);
  }

  private static RefusedException conflict(String message) {
    return new RefusedException(Status.RESERVATION_CONFLICT, message);
  }
}
