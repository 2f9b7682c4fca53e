package dev.holdfast.posix;

import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Sends IPv4 packets with headers from the caller, see raw(7). Stateless. */
public final class RawPacket {
  private static final int AF_INET = 2;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int IPPROTO_RAW = 255;
  private static final int ADDRESS_BYTES = 16;
  private static final int ADDRESS_OFFSET = 4;

  private RawPacket() {}

  /**
   * Sends one packet. The kernel fills in the total length, the checksum and the identification of
   * its IP header. Delivery is not confirmed.
   *
   * @param packet IP header and payload, not null
   * @param destination destination for the routing, not null
   * @throws IOException when this process lacks CAP_NET_RAW, or no route exists
   */
  public static void send(byte[] packet, Inet4Address destination) throws IOException {
    int descriptor = Native.LIBC.socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (descriptor < 0) {
      throw failure("socket", destination);
    }
    try {
      ByteBuffer data = ByteBuffer.allocateDirect(packet.length).put(packet).flip();
      ByteBuffer address = address(destination);
      long sent =
          Native.LIBC.sendto(descriptor, data, packet.length, 0, address, address.capacity());
      if (sent != packet.length) {
        throw failure("sendto", destination);
      }
    } finally {
      Native.LIBC.close(descriptor);
    }
  }

  private static ByteBuffer address(Inet4Address destination) {
    ByteBuffer address = ByteBuffer.allocateDirect(ADDRESS_BYTES).order(ByteOrder.nativeOrder());
    return address.putShort(0, (short) AF_INET).put(ADDRESS_OFFSET, destination.getAddress());
  }

  private static IOException failure(String call, Inet4Address destination) {
    int error = Native.RUNTIME.getLastError();
    return new IOException(
        destination.getHostAddress() + ": " + call + ": " + Native.LIBC.strerror(error));
  }
}
