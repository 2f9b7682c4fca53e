package dev.holdfast.resource.json;

import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Fills every field of a resource of any kind with random values. */
final class RandomRecords {
  private final Random random;

  RandomRecords(long seed) {
    random = new Random(seed);
  }

  <R extends Resource<R>> R resource(ResourceKind<R> kind) {
    return kind.type().cast(of(kind.type()));
  }

  private Object of(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      return container(parameterized);
    } else if (type == String.class) {
      return text();
    } else if (type == boolean.class || type == Boolean.class) {
      return random.nextBoolean();
    } else if (type == int.class || type == Integer.class) {
      return random.nextInt();
    } else if (type == long.class || type == Long.class) {
      return random.nextLong();
    } else if (type == Quantity.class) {
      return new Quantity(random.nextLong() >>> random.nextInt(1, 64));
    } else if (type == FieldsV1.class) {
      return new FieldsV1("{\"f:spec\":{\"f:" + (char) random.nextInt('a', 'z') + "\":{}}}");
    } else if (type == Instant.class) {
      return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
    }
    Class<?> raw = (Class<?>) type;
    return raw.isEnum()
        ? raw.getEnumConstants()[random.nextInt(raw.getEnumConstants().length)]
        : record(raw);
  }

  private Object container(ParameterizedType type) {
    Type[] arguments = type.getActualTypeArguments();
    if (type.getRawType() == Optional.class) {
      return random.nextBoolean() ? Optional.of(of(arguments[0])) : Optional.empty();
    } else if (type.getRawType() == List.class) {
      List<Object> list = new ArrayList<>();
      random.ints(random.nextInt(4)).forEach(i -> list.add(of(arguments[0])));
      return list;
    }
    Map<Object, Object> map = new LinkedHashMap<>();
    random.ints(random.nextInt(4)).forEach(i -> map.put(text(), of(arguments[1])));
    return map;
  }

  private Object record(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = of(components[i].getGenericType());
    }
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type.getName(), e);
    }
  }

  private String text() {
    return random
        .ints(random.nextInt(6), 0, 5)
        .mapToObj(i -> List.of("a", "ß", "\"", "\n", "💾").get(i))
        .reduce("", String::concat);
  }
}
