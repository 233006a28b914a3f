import Dispatch

/// Runs tasks on a connection's thread, between its statements.
extension JobQueue: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.post(
            Job(
                run: { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) },
                // After the connection has ended, the task continues on a global queue.
                fail: { _ in
                    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
                }
            )
        )
    }
}
