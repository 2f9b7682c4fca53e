package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.reservation.ReservationMove;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parameter list of REGISTER AND MOVE (SPC-4, 6.16.4), with a TransportID (7.6.4.6). */
final class MoveParameters {
  /** Bytes of the list without the TransportID. */
  static final int HEAD = 24;

  /** The longest list: a name of 223 bytes with its identifier of the session. */
  static final int LONGEST = HEAD + 4 + 244;

  private static final int FLAGS_AT = 17;
  private static final int SURVIVES = 0x01;
  private static final int UNREGISTERS = 0x02;
  private static final int PORT_AT = 18;
  private static final int LENGTH_AT = 20;
  private static final int SHORTEST_NAME = 20;
  private static final int ISCSI_PORT = 0x45;
  private static final Pattern PORT = Pattern.compile("([^,\\s]{1,223}),i,0x([0-9a-fA-F]{12})");

  private MoveParameters() {}

  /** Reads the list; the destination is an initiator port, seen through target port 1. */
  static ReservationMove read(ByteBuffer list) throws CommandException {
    int identity = list.remaining() < HEAD ? -1 : list.getInt(LENGTH_AT);
    if (identity != list.remaining() - HEAD || identity < 4 + SHORTEST_NAME) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    int length = list.getShort(HEAD + 2) & 0xffff;
    boolean port = (list.get(HEAD) & 0xff) == ISCSI_PORT && length == identity - 4;
    if (!port || list.getShort(PORT_AT) != 1) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    byte[] name = new byte[length];
    list.get(HEAD + 4, name);
    int flags = list.get(FLAGS_AT);
    return new ReservationMove(
        nexus(name), list.getLong(8), (flags & UNREGISTERS) != 0, (flags & SURVIVES) != 0);
  }

  private static String nexus(byte[] name) throws CommandException {
    String text = new String(name, StandardCharsets.UTF_8);
    int end = text.indexOf('\0');
    Matcher matcher = PORT.matcher(end < 0 ? "" : text.substring(0, end));
    if (!matcher.matches()) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    return matcher.group(1) + ",i,0x" + matcher.group(2).toLowerCase(Locale.ROOT);
  }
}
