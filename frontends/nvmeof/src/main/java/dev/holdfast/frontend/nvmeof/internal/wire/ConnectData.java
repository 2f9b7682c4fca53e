package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The data of a Connect command.
 *
 * @param host identifier of the host
 * @param controller identifier: 0xffff for a new one
 * @param subsystem NQN of the subsystem
 * @param hostName NQN of the host
 */
public record ConnectData(UUID host, int controller, String subsystem, String hostName) {
  /** Size in bytes. */
  public static final int SIZE = 1024;

  /** Controller identifier of the dynamic model: any controller. */
  public static final int ANY = 0xffff;

  /** Size in bytes of an NQN field. */
  public static final int NAME = 256;

  /** Offset of the controller's identifier. */
  public static final int CONTROLLER_AT = 16;

  /** Offset of the subsystem's name. */
  public static final int SUBSYSTEM_AT = 256;

  /** Offset of the host's name. */
  public static final int HOST_AT = 512;

  /** Reads the fields. */
  public static ConnectData parse(ByteBuffer buffer, int at) {
    ByteBuffer id = ByteBuffer.wrap(Le.bytes(buffer, at, 16));
    return new ConnectData(
        new UUID(id.getLong(), id.getLong()),
        Le.u16(buffer, at + CONTROLLER_AT),
        Le.name(buffer, at + SUBSYSTEM_AT, NAME),
        Le.name(buffer, at + HOST_AT, NAME));
  }

  /** Writes the fields. */
  public void put(ByteBuffer buffer, int at) {
    Le.clear(buffer, at, SIZE);
    ByteBuffer id = ByteBuffer.allocate(16);
    id.putLong(host.getMostSignificantBits()).putLong(host.getLeastSignificantBits());
    buffer.put(at, id.array());
    Le.put16(buffer, at + CONTROLLER_AT, controller);
    Le.putName(buffer, at + SUBSYSTEM_AT, NAME, subsystem);
    Le.putName(buffer, at + HOST_AT, NAME, hostName);
  }
}
