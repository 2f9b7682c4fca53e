package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.posix.RawPacket;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the connections that clients have to a former server at the same address, so that they
 * connect to the present one at once and not after their retransmission back-off. Each client gets
 * one ACK with a wrong sequence number and answers it (RFC 5961, section 4). The kernel of this
 * host knows no such connection and resets it. A connection that this host does know stays as it
 * is. The packets leave from this host. Stateless.
 */
public final class Tickle {
  private static final Logger LOG = LoggerFactory.getLogger(Tickle.class);
  private static final int HEADER = 20;
  private static final byte VERSION_AND_LENGTH = 0x45;
  private static final byte TTL = 64;
  private static final byte TCP = 6;
  private static final byte DATA_OFFSET = 5 << 4;
  private static final byte ACK = 0x10;
  private static final short WINDOW = 1024;
  private static final int CHECKSUM_OFFSET = HEADER + 16;

  private final String ip;
  private final int port;

  /**
   * Sends from an address of this host.
   *
   * @param ip numeric; clients of an IPv6 address are left alone
   * @param port at which the server listens by now
   */
  public Tickle(String ip, int port) {
    this.ip = ip;
    this.port = port;
  }

  /** Sends to each client. One that cannot be reached connects later, by itself. */
  public void send(List<NfsConnection> clients) {
    for (NfsConnection client : clients) {
      if (client.isIpv4() && !ip.contains(":")) {
        send(client);
      }
    }
  }

  private void send(NfsConnection client) {
    try {
      Inet4Address destination = address(client.ip());
      RawPacket.send(packet(address(ip), port, destination, client.port()), destination);
    } catch (IOException | LinkageError e) {
      LOG.warn("client {}: could not end its former connection: {}", client, e.getMessage());
    }
  }

  /** Both are numeric, so no name server is asked. */
  private static Inet4Address address(String numeric) throws IOException {
    if (InetAddress.getByName(numeric) instanceof Inet4Address address) {
      return address;
    }
    throw new IOException(numeric + ": not an IPv4 address");
  }

  static byte[] packet(Inet4Address source, int sourcePort, Inet4Address target, int targetPort) {
    ByteBuffer packet = ByteBuffer.allocate(2 * HEADER);
    packet.put(VERSION_AND_LENGTH).put((byte) 0).putShort((short) (2 * HEADER)).putInt(0);
    packet.put(TTL).put(TCP).putShort((short) 0);
    packet.put(source.getAddress()).put(target.getAddress());
    packet.putShort((short) sourcePort).putShort((short) targetPort).putInt(0).putInt(0);
    packet.put(DATA_OFFSET).put(ACK).putShort(WINDOW).putInt(0);
    packet.putShort(CHECKSUM_OFFSET, checksum(packet.array()));
    return packet.array();
  }

  /** RFC 9293, section 3.1: over the pseudo header and the TCP header. */
  private static short checksum(byte[] packet) {
    ByteBuffer words = ByteBuffer.wrap(packet);
    int sum = TCP + HEADER;
    for (int at = HEADER - 2 * Integer.BYTES; at < packet.length; at += Short.BYTES) {
      sum += Short.toUnsignedInt(words.getShort(at));
    }
    sum = (sum & 0xFFFF) + (sum >>> Short.SIZE);
    return (short) ~(sum + (sum >>> Short.SIZE));
  }
}
