package dev.holdfast.itests.powercut;

import java.util.List;

/**
 * The work of a machine from power on to power off.
 *
 * @param number of the life, rising from 1
 * @param seed of its requests
 * @param requests it sends before it closes the volume, unless the power is cut
 * @param barriers among them
 * @param mutation of its device
 */
record Life(int number, long seed, int requests, Barriers barriers, Mutation mutation) {
  List<String> words() {
    return List.of(
        Integer.toString(number),
        Long.toString(seed),
        Integer.toString(requests),
        barriers.toString(),
        mutation.toString());
  }

  static Life parse(List<String> words) {
    return new Life(
        Integer.parseInt(words.get(0)),
        Long.parseLong(words.get(1)),
        Integer.parseInt(words.get(2)),
        Barriers.valueOf(words.get(3)),
        Mutation.valueOf(words.get(4)));
  }
}
