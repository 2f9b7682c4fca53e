package dev.holdfast.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RawPacketTest {
  private static final int HEADERS = 28;

  @Test
  @Timeout(30)
  void packetReachesASocketWithTheSourceOfItsHeader() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "raw sockets need root");
    Inet4Address source = (Inet4Address) InetAddress.getByName("127.0.0.2");
    Inet4Address target = (Inet4Address) InetAddress.getByName("127.0.0.3");
    byte[] text = "hello".getBytes(StandardCharsets.US_ASCII);
    try (DatagramSocket socket = new DatagramSocket(0, target)) {
      // An IPv4 header and a UDP header without a checksum.
      ByteBuffer packet = ByteBuffer.allocate(HEADERS + text.length);
      packet.putInt(0x45000000).putInt(0).put((byte) 64).put((byte) 17).putShort((short) 0);
      packet.put(source.getAddress()).put(target.getAddress());
      packet.putShort((short) 700).putShort((short) socket.getLocalPort());
      packet.putShort((short) (8 + text.length)).putShort((short) 0).put(text);
      RawPacket.send(packet.array(), target);
      DatagramPacket received = new DatagramPacket(new byte[64], 64);
      socket.receive(received);
      assertThat(received.getAddress()).isEqualTo(source);
      assertThat(received.getPort()).isEqualTo(700);
      assertThat(new String(received.getData(), 0, received.getLength(), StandardCharsets.US_ASCII))
          .isEqualTo("hello");
    }
  }
}
