package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import dev.holdfast.reservation.Registration;
import dev.holdfast.reservation.ReservationException;
import dev.holdfast.reservation.ReservationMove;
import dev.holdfast.reservation.ReservationText;
import dev.holdfast.reservation.ReservationType;
import dev.holdfast.reservation.Reservations;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** PERSISTENT RESERVE IN and OUT (SPC-4, 6.15 and 6.16). */
final class PersistentReserve {
  private static final int LIST = 24;
  private static final int FLAGS = 20;
  private static final int FOR_OTHERS = 0x0c; // SPEC_I_PT, ALL_TG_PT
  private static final int SURVIVES = 0x01;
  private static final ReservationType[] TYPES = new ReservationType[16];

  static {
    TYPES[1] = ReservationType.WRITE_EXCLUSIVE;
    TYPES[3] = ReservationType.EXCLUSIVE_ACCESS;
    TYPES[5] = ReservationType.WRITE_EXCLUSIVE_REGISTRANTS_ONLY;
    TYPES[6] = ReservationType.EXCLUSIVE_ACCESS_REGISTRANTS_ONLY;
    TYPES[7] = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
    TYPES[8] = ReservationType.EXCLUSIVE_ACCESS_ALL_REGISTRANTS;
  }

  private final Volume volume;
  private final String nexus;
  private Optional<String> seen = Optional.empty();
  private Reservations current = Reservations.NONE;

  PersistentReserve(Volume volume, String nexus) {
    this.volume = volume;
    this.nexus = nexus;
  }

  /** Returns the present reservations; parses them only after a change. */
  Reservations current() {
    Optional<String> text = volume.state().text(SharedTexts.RESERVATIONS);
    if (!text.equals(seen)) {
      current = text.map(ReservationText::read).orElse(Reservations.NONE);
      seen = text;
    }
    return current;
  }

  Plan in(Command command, Cdb cdb) {
    Reservations now = current();
    byte[] data =
        switch (command) {
          case READ_KEYS -> keys(now);
          case READ_RESERVATION -> reservation(now);
          case REPORT_CAPABILITIES -> capabilities(now);
          default -> fullStatus(now);
        };
    return Plan.now((task, none) -> task.answer(data, cdb.u16(7)));
  }

  private static byte[] begin(Reservations now, int length) {
    ByteBuffer data = ByteBuffer.allocate(8 + length);
    return data.putInt((int) now.generation()).putInt(length).array();
  }

  private static byte[] keys(Reservations now) {
    byte[] data = begin(now, 8 * now.registrations().size());
    ByteBuffer keys = ByteBuffer.wrap(data).position(8);
    now.registrations().forEach(registration -> keys.putLong(registration.key()));
    return data;
  }

  private static byte[] reservation(Reservations now) {
    if (now.holding().isEmpty()) {
      return begin(now, 0);
    }
    ReservationType type = now.holding().get().type();
    long key = type.allHold() ? 0 : now.keyOf(now.holding().get().nexus()).orElse(0L);
    byte[] data = begin(now, 16);
    ByteBuffer.wrap(data).putLong(8, key).put(21, (byte) code(type));
    return data;
  }

  private static byte[] capabilities(Reservations now) {
    ByteBuffer data = ByteBuffer.allocate(8).putShort(0, (short) 8);
    data.put(2, (byte) SURVIVES);
    data.put(3, (byte) (0x80 | (now.durable() ? SURVIVES : 0)));
    data.put(4, (byte) 0xea).put(5, (byte) 0x01); // all types
    return data.array();
  }

  private static byte[] fullStatus(Reservations now) {
    ByteArrayOutputStream list = new ByteArrayOutputStream();
    for (Registration registration : now.registrations()) {
      byte[] port = VpdPages.name(registration.nexus());
      ByteBuffer entry = ByteBuffer.allocate(24 + 4 + port.length);
      entry.putLong(0, registration.key());
      if (now.holds(registration.nexus())) {
        entry.put(12, (byte) 1).put(13, (byte) code(now.holding().orElseThrow().type()));
      }
      entry.putShort(18, (short) 1).putInt(FLAGS, 4 + port.length);
      entry.put(24, (byte) 0x45).putShort(26, (short) port.length).put(28, port);
      list.writeBytes(entry.array());
    }
    byte[] data = begin(now, list.size());
    ByteBuffer.wrap(data).position(8).put(list.toByteArray());
    return data;
  }

  Plan out(Command command, Cdb cdb) throws CommandException {
    boolean moves = command == Command.REGISTER_AND_MOVE;
    long length = cdb.u32(5);
    if (moves ? length < LIST || length > MoveParameters.LONGEST : length != LIST) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    boolean typed =
        command == Command.RESERVE
            || command == Command.RELEASE
            || command == Command.PREEMPT
            || command == Command.PREEMPT_AND_ABORT;
    if (typed && (cdb.u8(2) >> 4 != 0 || TYPES[cdb.u8(2) & 0x0f] == null)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return Plan.gathered(
        (int) length,
        (task, list) -> {
          out(command, cdb, list.slice());
          if (command == Command.PREEMPT_AND_ABORT) {
            awaitWrites();
          }
        });
  }

  /**
   * Waits for running writes. Preempted initiators cannot start new ones, so after the return all
   * their writes have ended.
   */
  private void awaitWrites() {
    volume.gate().enterAlone();
    volume.gate().leaveAlone();
  }

  private void out(Command command, Cdb cdb, ByteBuffer list) throws CommandException {
    if (list.remaining() != cdb.u32(5)) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    boolean registers = command == Command.REGISTER || command == Command.REGISTER_AND_IGNORE;
    if (registers && (list.get(FLAGS) & FOR_OTHERS) != 0) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    try {
      Optional<String> text;
      Reservations next;
      do {
        Reservations now = current();
        text = seen;
        next = next(now, command, cdb, list);
        if (next.equals(now)) {
          return;
        }
      } while (!volume
          .state()
          .replace(
              SharedTexts.RESERVATIONS,
              text,
              Optional.of(ReservationText.write(next)),
              next.durable()));
    } catch (ReservationException e) {
      throw switch (e.reason()) {
        case CONFLICT -> CommandException.conflict();
        case WRONG_TYPE -> CommandException.of(Sense.INVALID_RELEASE);
        case INVALID_KEY -> CommandException.of(Sense.INVALID_PARAMETER);
      };
    } catch (StorageException e) {
      throw CommandException.of(e, true);
    }
  }

  private Reservations next(Reservations now, Command command, Cdb cdb, ByteBuffer list)
      throws ReservationException, CommandException {
    long key = list.getLong(0);
    long other = list.getLong(8);
    boolean survives = (list.get(FLAGS) & SURVIVES) != 0;
    ReservationType type = TYPES[cdb.u8(2) & 0x0f];
    return switch (command) {
      case REGISTER -> now.register(nexus, key, other, survives);
      case REGISTER_AND_IGNORE -> now.registerIgnoring(nexus, other, survives);
      case RESERVE -> now.reserve(nexus, key, type);
      case RELEASE -> now.release(nexus, key, type);
      case CLEAR -> now.clear(nexus, key);
      case REGISTER_AND_MOVE -> move(now, key, MoveParameters.read(list));
      default -> now.preempt(nexus, key, other, type);
    };
  }

  private Reservations move(Reservations now, long key, ReservationMove move)
      throws ReservationException, CommandException {
    boolean known = now.keyOf(nexus).filter(own -> own == key).isPresent();
    if (known && now.holding().isEmpty()) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return now.registerAndMove(nexus, key, move);
  }

  private static int code(ReservationType type) {
    for (int code = 0; code < TYPES.length; code++) {
      if (TYPES[code] == type) {
        return code;
      }
    }
    throw new IllegalStateException("no code for " + type);
  }
}
