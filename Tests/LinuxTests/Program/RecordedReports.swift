/// Reports of `earshot simulate` about small rooms, as the program printed them before it knew crowds: what a crowd needs changes
/// nothing for a room of up to 32 nodes.
enum RecordedReports {
    /// `--nodes 20`.
    static let table = """
        20 nodes, each in sight of all, on a simulated network with 1.0 to 20.0 ms latency and no loss; seed 1.

          messages sent                   100
          deliveries expected           1 900  at every other node that was there for a while
          delivered                     1 900  100 %
            live                        1 900
            repaired                        0  later, from who had kept it
          duplicates                        0
          to who just came or went          0  not expected, not counted above
          in another room                   0  shown where they were not said: a fault
          messages lost                     0  with authors that were killed before any node had them
          latency, median           10.894 ms  from being said to being shown live
            90 % within             18.207 ms
            99 % within             19.812 ms
            longest                 19.956 ms
          repair, median                    -  from being said to being repaired
            99 % within                     -
          sends per delivery                1
          links                           190  when all had met
            made afterwards                 0
            at the end                    190
          bytes written per node      110 770  on average, handshakes and pings too
            most                      168 010
          nodes that left                   0
            were killed                     0
            came instead                    0
          time simulated             21.466 s
          events run                    5 813

        """

    /// `--nodes 32 --messages 40 --rate 20 --loss 2 --churn 60 --partition 1 --seed 7 --json`.
    static let line = """
        {"event":"simulation","settings":{"nodes":32,"rooms":1,"messages":40,"rate":20,"latencyMs":[1.0,\
        20.0],"lossPercent":2,"links":null,"partitionSeconds":1,"churnPerMinute":60,"seed":7},"messages":40,\
        "expected":1161,"delivered":1161,"live":1161,"repaired":0,"duplicates":0,"others":133,"lost":0,\
        "latencyMs":{"p50":14.201,"p90":663.481,"p99":999.194,"max":1048.698},"repairMs":{"p50":null,\
        "p99":null,"max":null},"strays":0,"sendsPerDelivery":1.164,"payloadsSent":1506,"linksMet":496,\
        "linksMade":74,"linksLeft":496,"bytesPerNode":122834,"bytesPerNodeMost":201400,"nodesLeft":2,\
        "nodesKilled":0,"nodesJoined":2,"simulatedMs":24317.957,"events":16142}

        """
}
