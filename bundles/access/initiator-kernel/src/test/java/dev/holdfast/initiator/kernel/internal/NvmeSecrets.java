package dev.holdfast.initiator.kernel.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;

/** Identity of the host in the virtual machine, and the secrets that both sides have. */
final class NvmeSecrets {
  static final String ID = "6f2c6f0a-5f0e-4d8e-9d0c-0a5b9c7d1e2f";
  static final String NAME = "nqn.2014-08.org.nvmexpress:uuid:" + ID;
  static final String OWN = secret(1);
  static final String CONTROLLERS = secret(2);
  static final String WRONG = secret(3);

  private static final int LENGTH = 32;

  private NvmeSecrets() {}

  /** In the form of NVM Express Base 2.0, 8.13.5.8: the key and its CRC-32. */
  private static String secret(int content) {
    byte[] key = new byte[LENGTH];
    Arrays.fill(key, (byte) content);
    CRC32 crc = new CRC32();
    crc.update(key);
    ByteBuffer bytes =
        ByteBuffer.allocate(LENGTH + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(key)
            .putInt((int) crc.getValue());
    return "DHHC-1:00:" + Base64.getEncoder().encodeToString(bytes.array()) + ":";
  }
}
