package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.internal.BlockPool;

/** Keys of the objects of images in Longhorn's layout. */
final class ImageKeys {
  /** Images are locked as a volume of this name is. */
  static final String LOCK = "BACKINGIMAGE";

  /** Bytes of a block; the last one of an image may be shorter. */
  static final int BLOCK = 2 << 20;

  static final String FOLDER = "backupstore/backing-images/backing-images/";
  static final String CONFIG = "/backing-image.cfg";
  static final BlockPool BLOCKS = new BlockPool("backupstore/backing-images/blocks/");

  private ImageKeys() {}

  static String config(String image) {
    return FOLDER + image + CONFIG;
  }

  /** Returns how many bytes the stored form of a block can have. */
  static int largest() {
    return BLOCK + BLOCK / 128 + (64 << 10);
  }

  /** Returns how many bytes of an image the block at an offset has. */
  static int lengthAt(long offset, long size) {
    return (int) Math.min(BLOCK, size - offset);
  }
}
